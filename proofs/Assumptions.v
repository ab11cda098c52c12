(** What each theorem rests on, printed by the build, which refuses any axiom outside Reals.v. *)

From Proofs Require Import OrderedRing Checker Sound Separation Overlap FewestErrors Novikoff
  NovikoffClasses Rationals.

Print Assumptions separation_sound.
Print Assumptions weak_separation_sound.
Print Assumptions inseparability_sound.
Print Assumptions margin_bound_sound.
Print Assumptions overlap_sound.
Print Assumptions fewest_lower_sound.
Print Assumptions fewest_upper_sound.
Print Assumptions irreducible_sound.
Print Assumptions novikoff_steps.
Print Assumptions novikoff_threshold.
Print Assumptions novikoff.
Print Assumptions novikoff_classes_steps.
Print Assumptions novikoff_classes.
Print Assumptions rationals.
