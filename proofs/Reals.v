(** The theorems once more, for real weights and the data's own rows x = values / pad.

    This file alone uses the axioms of Coq's real numbers. *)

Require Import ZArith Reals List Bool Lra Lia FMapPositive RealField.
From Proofs Require Import OrderedRing Checker Sound Separation Overlap FewestErrors.
Import ListNotations.
Open Scope R_scope.

Definition reals : OrderedRing :=
  {| carrier := R; ring_laws := RTheory; less_irreflexive := Rlt_irrefl;
     less_transitive := Rlt_trans;
     less_total := Rtotal_order;
     less_plus := fun a b c H => Rplus_lt_compat_l c a b H;
     less_times := Rmult_lt_0_compat; less_one := Rlt_0_1 |}.

Lemma number_IZR z : number (F := reals) z = IZR z.
Proof.
  induction z using Z.peano_ind.
  - apply number_0.
  - unfold Z.succ. rewrite number_plus, number_1, IHz, plus_IZR. reflexivity.
  - unfold Z.pred. rewrite number_plus, IHz, plus_IZR.
    change (-1)%Z with (- (1))%Z. rewrite number_opposite, number_1, opp_IZR. reflexivity.
Qed.

(** What a row asks, written out. *)
Section Written_out.
  Variable pr : problem.
  Hypothesis pad_positive : (0 < pad pr)%Z.
  Variable W : nat -> list R.
  Variable B : nat -> R.

  (** x, the row of the data. *)
  Definition features (p : row) : list R := map (fun v => IZR v / IZR (pad pr)) (values p).

  (** w·x + b, or w·x where there is no bias. *)
  Definition value (k : nat) (p : row) : R :=
    dot (F := reals) (W k) (features p) + (if bias pr then B k else 0).

  (** One hyperplane: positive on the rows of the last class, negative on the others. One weight
      vector per class: the own class scores highest. *)
  Definition on_its_side (p : row) : Prop :=
    if binary pr then if positive_side pr p then 0 < value 0 p else value 0 p < 0
    else forall k, (k < classes pr)%nat -> k <> label p -> value k p < value (label p) p.

  Lemma pad_real : 0 < IZR (pad pr).
  Proof. now apply IZR_lt. Qed.

  Lemma score_value k p : score (F := reals) pr W B k (values p) = IZR (pad pr) * value k p.
  Proof.
    unfold score, value, features. rewrite number_IZR.
    replace (dot (F := reals) (W k) (map number (values p)))
      with (IZR (pad pr) * dot (F := reals) (W k)
                             (map (fun v => IZR v / IZR (pad pr)) (values p))).
    - pose proof pad_real. destruct (bias pr); simpl; ring.
    - generalize (values p). induction (W k) as [| a w IH]; intros [| v vs]; simpl; try ring.
      rewrite <- IH, number_IZR. pose proof pad_real. field. lra.
  Qed.

  Lemma right_on_its_side p : right (F := reals) pr W B p <-> on_its_side p.
  Proof.
    pose proof pad_real as P.
    assert (Q : forall a, 0 < IZR (pad pr) * a -> 0 < a).
    { intros a H. apply Rmult_lt_reg_l with (IZR (pad pr)); lra. }
    assert (M : forall a, 0 < a -> 0 < IZR (pad pr) * a) by (intro; now apply Rmult_lt_0_compat).
    unfold right, on_its_side, lead, is_rival. destruct (binary pr).
    - rewrite score_value. split; intro H.
      + specialize (H 0%nat eq_refl). destruct (positive_side pr p); simpl in H.
        * now apply Q.
        * assert (0 < IZR (pad pr) * - value 0 p) as K%Q by lra. lra.
      + intros k _. destruct (positive_side pr p); simpl.
        * now apply M.
        * assert (0 < - value 0 p) as K%M by lra. lra.
    - split; intros H k.
      + intros Hk Hn. specialize (H k). rewrite !score_value in H. simpl in H.
        rewrite (proj2 (Nat.ltb_lt _ _) Hk), (proj2 (Nat.eqb_neq _ _) Hn) in H.
        specialize (H eq_refl).
        assert (0 < IZR (pad pr) * (value (label p) p - value k p)) as K%Q by lra. lra.
      + intros [Hk%Nat.ltb_lt Hn%negb_true_iff%Nat.eqb_neq]%andb_true_iff.
        rewrite !score_value. simpl. specialize (H k Hk Hn).
        assert (0 < value (label p) p - value k p) as K%M by lra. lra.
  Qed.
End Written_out.

Lemma checked_pad pr terms : inseparability pr terms = true -> (0 < pad pr)%Z.
Proof.
  unfold inseparability. destruct terms; [discriminate |].
  now intros [H%Z.ltb_lt _]%andb_true_iff.
Qed.

Theorem real_inseparability pr terms :
  inseparability pr terms = true ->
  forall W B, ~ (forall r p, PositiveMap.find r (rows pr) = Some p -> on_its_side pr W B p).
Proof.
  intros H W B K. apply (inseparability_sound reals pr W B terms H). intros r p Hp.
  apply right_on_its_side; [now apply (checked_pad pr terms) | now apply (K r)].
Qed.

Theorem real_separation pr ws num den :
  separation pr false (fun _ _ => false) ws num den = true ->
  forall r p, PositiveMap.find r (rows pr) = Some p ->
    on_its_side pr (Separation.W reals ws) (Separation.B reals ws) p.
Proof.
  intros H r p Hp. apply right_on_its_side.
  - unfold separation in H. rewrite !andb_true_iff in H. now destruct H as [[[[H%Z.ltb_lt _] _] _] _].
  - now apply (separation_sound reals pr ws _ _ _ _ H r).
Qed.

(** Whatever real weights, and whatever set of rows they are right outside of. *)
Theorem real_fewest_errors pr subsets tree lower :
  fewest_lower pr subsets tree lower = true ->
  forall W B (E : positive -> bool),
    (forall r p, PositiveMap.find r (rows pr) = Some p -> E r = false -> on_its_side pr W B p) ->
    (lower <= cost_of pr E)%Z.
Proof.
  intros H W B E K. apply (fewest_lower_sound reals pr subsets tree lower H W B).
  intros r p Hp Er. apply right_on_its_side; [| now apply (K r)].
  unfold fewest_lower in H. now apply andb_true_iff in H as [H%Z.ltb_lt _].
Qed.
