(** What the theorems about real weights rest on: Coq's real numbers, and nothing else. *)

From Proofs Require Import Reals.

Print Assumptions real_separation.
Print Assumptions real_inseparability.
Print Assumptions real_fewest_errors.
