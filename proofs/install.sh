#!/bin/sh
# Finds Coq, OCaml and zarith, or installs Debian's where it may.
set -eu
found() {
    command -v coqc > /dev/null && command -v ocamlfind > /dev/null && ocamlfind query zarith > /dev/null 2>&1
}
if found; then
    exit 0
fi
if command -v apt-get > /dev/null && [ "$(id -u)" = 0 ]; then
    export DEBIAN_FRONTEND=noninteractive
    apt-get update --quiet
    apt-get install --quiet --yes --no-install-recommends coq ocaml-nox ocaml-findlib libzarith-ocaml-dev
fi
if ! found; then
    echo "The proofs need Coq 8.16, OCaml, findlib and zarith. On Debian or Ubuntu:" >&2
    echo "  sudo apt-get install coq ocaml-nox ocaml-findlib libzarith-ocaml-dev" >&2
    exit 1
fi
