(** The checker as OCaml, over the integers of zarith. *)

Require Import ZArith ExtrOcamlBasic ExtrOcamlZBigInt FMapPositive.
From Proofs Require Import Checker.

Extract Constant Z.gcd => "Big_int_Z.gcd_big_int".
Extract Constant Pos.eqb => "Big_int_Z.eq_big_int".
Extract Constant Pos.eq_dec => "Big_int_Z.eq_big_int".

Extraction Language OCaml.
Extraction "checker.ml" separation weak_separation inseparability margin_bound overlap
  fewest_lower fewest_upper irreducible PositiveMap.add PositiveMap.empty.
