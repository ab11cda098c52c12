(** The rationals are an ordered ring: every theorem holds of rational weights, without axioms. *)

Require Import QArith Qcanon.
From Proofs Require Import OrderedRing.

Lemma Qc_less_plus (a b c : Qc) : a < b -> c + a < c + b.
Proof.
  unfold Qclt, Qcplus, Q2Qc. cbn [this]. rewrite !Qred_correct. intro H. now apply Qplus_lt_r.
Qed.

Lemma Qc_less_times (a b : Qc) : 0 < a -> 0 < b -> 0 < a * b.
Proof.
  unfold Qclt, Qcmult, Q2Qc. cbn [this]. rewrite !Qred_correct. apply Qmult_lt_0_compat.
Qed.

Lemma Qc_total (a b : Qc) : a < b \/ a = b \/ b < a.
Proof. destruct (Qc_dec a b) as [[H | H] | H]; auto. Qed.

Lemma Qc_irreflexive (a : Qc) : ~ a < a.
Proof. apply Qlt_irrefl. Qed.

Definition rationals : OrderedRing :=
  {| carrier := Qc; ring_laws := Qcrt; less_irreflexive := Qc_irreflexive;
     less_transitive := Qclt_trans; less_total := Qc_total; less_plus := Qc_less_plus;
     less_times := Qc_less_times; less_one := eq_refl |}.
