(** The same for one weight vector per class (Crammer and Singer 2003): at most 2R²/γ² updates.

    The rule is that of src/rosenblatt/rules.py, [Multiclass.step] and [respond]:

      rival = strongest_rival(class_scores, y)
      ahead = class_scores[y] - class_scores[rival]
      if ahead > threshold or (ahead == threshold and not tie): return NOTHING
      add(points, i, steps[i], weights[y]); add(points, i, -steps[i], weights[rival])

    The bound needs of the rival only that it is not y. *)

Require Import ZArith List Bool Lia Ring.
From Proofs Require Import OrderedRing.
Import ListNotations.

Section Blocks.
  Variable F : OrderedRing.
  Open Scope number_scope.
  Add Ring F_ring : (ring_laws F).

  (** Weights: one vector for each class; classes beyond have the weights 0. *)
  Definition of_class (k : nat) (W : list (list F)) : list F := nth k W [].

  Fixpoint dots (U W : list (list F)) : F :=
    match U, W with
    | u :: U', w :: W' => dot u w + dots U' W'
    | _, _ => 0
    end.

  Fixpoint add_to (k : nat) (v : list F) (W : list (list F)) : list (list F) :=
    match k, W with
    | O, [] => [v]
    | O, w :: rest => sum w v :: rest
    | S k', [] => [] :: add_to k' v []
    | S k', w :: rest => w :: add_to k' v rest
    end.

  Lemma dots_nil U : dots U [] = 0.
  Proof. now destruct U. Qed.

  Lemma dots_add k : forall v U W, dots U (add_to k v W) = dots U W + dot (of_class k U) v.
  Proof.
    unfold of_class. induction k as [| k IH]; intros v [| u U] [| w W]; simpl;
      rewrite ?IH, ?dots_nil, ?dot_nil, ?dot_sum; ring.
  Qed.

  Lemma dots_commutes U : forall W, dots U W = dots W U.
  Proof.
    induction U as [| u U IH]; intros [| w W]; simpl; try reflexivity.
    now rewrite dot_commutes, IH.
  Qed.

  Lemma of_class_same k : forall v W, of_class k (add_to k v W) = sum (of_class k W) v.
  Proof.
    unfold of_class. induction k as [| k IH]; intros v [| w W]; simpl; try reflexivity.
    - rewrite IH. now destruct k.
    - apply IH.
  Qed.

  Lemma of_class_other j : forall k v W, j <> k -> of_class j (add_to k v W) = of_class j W.
  Proof.
    unfold of_class. induction j as [| j IH]; intros [| k] v [| w W] H; simpl; try congruence.
    - now destruct j.
    - rewrite IH by congruence. now destruct j.
    - apply IH. congruence.
  Qed.

  Lemma dots_nonnegative W : 0 <= dots W W.
  Proof.
    induction W as [| w W IH]; simpl; [now right |].
    apply plus_nonnegative; [apply dot_nonnegative | exact IH].
  Qed.

  Lemma dots_cauchy_schwarz U : forall W, dots U W * dots U W <= dots U U * dots W W.
  Proof.
    induction U as [| u U IH]; intros [| w W]; simpl; try (right; ring).
    replace (dot u w + dots U W) with (dots U W + dot u w) by ring.
    replace (dot u u + dots U U) with (dots U U + dot u u) by ring.
    replace (dot w w + dots W W) with (dots W W + dot w w) by ring.
    apply cauchy_schwarz_step; auto using dots_nonnegative, dot_nonnegative, cauchy_schwarz.
  Qed.

  (** ‖W‖² after a vector is added to one class. *)
  Lemma square_add k v W :
    dots (add_to k v W) (add_to k v W)
    = dots W W + (dot (of_class k W) v + dot (of_class k W) v) + dot v v.
  Proof.
    rewrite dots_add, dots_commutes, dots_add, of_class_same.
    rewrite (dot_commutes _ (sum _ _)), dot_sum, (dot_commutes _ v (of_class k W)). ring.
  Qed.
End Blocks.

Arguments of_class {F}. Arguments dots {F}. Arguments add_to {F}.

Section Rule.
  Variable F : OrderedRing.
  Open Scope number_scope.
  Add Ring F_ring' : (ring_laws F).

  (** A padded row, its class and its step. *)
  Record point := Point { x : list F; y : nat; step : F }.

  Variables (classes : nat) (threshold : F) (tie : bool).

  Definition class_score (W : list (list F)) (p : point) (k : nat) : F := dot (of_class k W) (x p).

  (** A class other than y whose score no other exceeds. *)
  Definition strongest_rival (W : list (list F)) (p : point) (r : nat) : Prop :=
    (r < classes)%nat /\ r <> y p /\
    forall k, (k < classes)%nat -> k <> y p -> class_score W p k <= class_score W p r.

  Definition ahead (W : list (list F)) (p : point) (r : nat) : F :=
    class_score W p (y p) - class_score W p r.

  Definition mistake (W : list (list F)) (p : point) (r : nat) : Prop :=
    ahead W p r < threshold \/ (ahead W p r = threshold /\ tie = true).

  Definition updated (W : list (list F)) (p : point) (r : nat) : list (list F) :=
    add_to r (scaled (- step p) (x p)) (add_to (y p) (scaled (step p) (x p)) W).

  Inductive run : list point -> list (list F) -> nat -> F -> list (list F) -> Prop :=
    | nothing W : run [] W 0 0 W
    | correct p r order W k m W' :
        strongest_rival W p r -> ~ mistake W p r -> run order W k m W' ->
        run (p :: order) W k m W'
    | update p r order W k m W' :
        strongest_rival W p r -> mistake W p r -> run order (updated W p r) k m W' ->
        run (p :: order) W (S k) (step p + m) W'.

  Variables (U : list (list F)) (gamma radius2 eta : F).
  Hypothesis threshold_nonnegative : 0 <= threshold.
  Hypothesis gamma_nonnegative : 0 <= gamma.
  Hypothesis radius_nonnegative : 0 <= radius2.

  Definition fine (p : point) : Prop :=
    (forall k, (k < classes)%nat -> k <> y p ->
       gamma <= class_score U p (y p) - class_score U p k) /\
    dot (x p) (x p) <= radius2 /\ 0 < step p /\ step p <= eta.

  (** 2δ + 2ηR². *)
  Definition growth : F := threshold + threshold + (eta * radius2 + eta * radius2).

  Lemma norm_grows p r W :
    fine p -> strongest_rival W p r -> mistake W p r ->
    dots (updated W p r) (updated W p r) <= dots W W + step p * growth.
  Proof.
    intros (_ & Hx & Hs & He) (_ & Hr & _) Hm. unfold updated.
    rewrite !square_add, of_class_other by exact Hr.
    rewrite !dot_scaled, !(dot_commutes _ (scaled _ _)), !dot_scaled.
    assert (Ha : ahead W p r <= threshold) by (destruct Hm as [H | [H _]]; [now left | now right]).
    assert (Hx' : step p * dot (x p) (x p) <= eta * radius2).
    { apply at_most_transitive with (b := step p * radius2).
      - apply times_monotone; [now left | exact Hx].
      - replace (step p * radius2) with (radius2 * step p) by ring.
        replace (eta * radius2) with (radius2 * eta) by ring. now apply times_monotone. }
    match goal with |- ?left <= _ =>
      replace left with (dots W W + step p * (ahead W p r + ahead W p r
        + (step p * dot (x p) (x p) + step p * dot (x p) (x p))))
        by (unfold ahead, class_score; ring) end.
    apply plus_monotone; [now right |]. apply times_monotone; [now left |].
    unfold growth. auto using plus_monotone.
  Qed.

  Lemma progress p r W :
    fine p -> strongest_rival W p r -> dots U W + step p * gamma <= dots U (updated W p r).
  Proof.
    intros (Hg & _ & Hs & _) (Hr & Hn & _). unfold updated. rewrite !dots_add, !dot_scaled.
    replace (dots U W + step p * dot (of_class (y p) U) (x p)
             + - step p * dot (of_class r U) (x p))
      with (dots U W + step p * (class_score U p (y p) - class_score U p r))
      by (unfold class_score; ring).
    apply plus_monotone; [now right |]. apply times_monotone; [now left | now apply Hg].
  Qed.

  Lemma run_sandwich order W k m W' :
    run order W k m W' -> (forall p, In p order -> fine p) ->
    dots U W + m * gamma <= dots U W' /\ dots W' W' <= dots W W + m * growth /\ 0 <= m.
  Proof.
    induction 1 as [W | p r order W k m W' _ _ _ IH | p r order W k m W' Hr Hm _ IH]; intro H.
    - repeat split; right; ring.
    - apply IH. intros; apply H; now right.
    - destruct IH as (I1 & I2 & I3); [intros; apply H; now right |].
      specialize (H p (or_introl eq_refl)). pose proof (progress p r W H Hr) as P.
      pose proof (norm_grows p r W H Hr Hm) as N. repeat split.
      + apply at_most_transitive with (2 := I1).
        replace (dots U W + (step p + m) * gamma)
          with (dots U W + step p * gamma + m * gamma) by ring.
        apply plus_monotone; [exact P | now right].
      + apply at_most_transitive with (1 := I2).
        replace (dots W W + (step p + m) * growth)
          with (dots W W + step p * growth + m * growth) by ring.
        apply plus_monotone; [exact N | now right].
      + destruct H as (_ & _ & Hs & _). apply plus_nonnegative; [now left | exact I3].
  Qed.

  (** Theorem, any steps: started at 0, (γ·m)² ≤ ‖U‖²·m·(2ηR² + 2δ), m the sum of steps taken. *)
  Theorem novikoff_classes_steps order k m W' :
    run order [] k m W' -> (forall p, In p order -> fine p) ->
    (m * gamma) * (m * gamma) <= dots U U * (m * growth).
  Proof.
    intros Hr H. destruct (run_sandwich _ _ _ _ _ Hr H) as (I1 & I2 & I3).
    rewrite dots_nil in I1. simpl in I2.
    replace (0 + m * gamma) with (m * gamma) in I1 by ring.
    replace (0 + m * growth) with (m * growth) in I2 by ring.
    apply at_most_transitive with (b := dots U W' * dots U W').
    - apply square_monotone; [now apply times_nonnegative | exact I1].
    - apply at_most_transitive with (1 := dots_cauchy_schwarz F U W').
      apply times_monotone; [apply dots_nonnegative | exact I2].
  Qed.

  Lemma steps_equal order W k m W' :
    run order W k m W' -> (forall p, In p order -> step p = 1) -> m = number (Z.of_nat k).
  Proof.
    induction 1 as [W | p r order W k m W' _ _ _ IH | p r order W k m W' _ _ _ IH]; intro H.
    - simpl. now rewrite number_0.
    - apply IH. intros; apply H; now right.
    - rewrite IH by (intros; apply H; now right). rewrite (H p (or_introl eq_refl)).
      rewrite Nat2Z.inj_succ. unfold Z.succ. rewrite number_plus, number_1. ring.
  Qed.
End Rule.

Arguments run {F}. Arguments class_score {F}. Arguments step {F}. Arguments x {F}. Arguments y {F}.

Section Unit.
  Variable F : OrderedRing.
  Open Scope number_scope.
  Add Ring F_ring'' : (ring_laws F).

  (** With threshold 0, steps 1 and U of Frobenius norm 1 and margin γ on every point, k updates
      obey k·γ² ≤ 2R², whatever the order and the ties. *)
  Theorem novikoff_classes classes tie (U : list (list F)) (gamma radius2 : F)
      (order : list (point F)) k m W :
    dots U U = 1 -> 0 <= gamma -> 0 <= radius2 ->
    (forall p, In p order ->
       (forall j, (j < classes)%nat -> j <> y p ->
          gamma <= class_score U p (y p) - class_score U p j) /\
       dot (x p) (x p) <= radius2 /\ step p = 1) ->
    run classes 0 tie order [] k m W ->
    number (Z.of_nat k) * (gamma * gamma) <= radius2 + radius2.
  Proof.
    intros Hu Hg Hr H R. assert (H1 : 0 < (1 : F)) by apply less_one.
    assert (E : m = number (Z.of_nat k)).
    { apply (steps_equal _ _ _ _ _ _ _ _ _ R). intros p I. now destruct (H p I) as (_ & _ & C). }
    assert (N : m * gamma * (m * gamma) <= dots U U * (m * growth F 0 radius2 1)).
    { apply (novikoff_classes_steps F classes 0 tie U gamma radius2 1) with (order := order) (k := k)
        (W' := W); auto.
      intros p I. destruct (H p I) as (A & B & C). unfold fine. rewrite C. repeat split; auto. }
    rewrite Hu in N. unfold growth in N. rewrite <- E. destruct k as [| k].
    - rewrite E. simpl Z.of_nat. rewrite number_0.
      replace (0 * (gamma * gamma)) with (0 : F) by ring. now apply plus_nonnegative.
    - assert (Hm : 0 < m) by (rewrite E; apply number_positive; lia).
      apply times_cancel with (c := m); [exact Hm |].
      replace (m * (m * (gamma * gamma))) with (m * gamma * (m * gamma)) by ring.
      now replace (1 * (m * (0 + 0 + (1 * radius2 + 1 * radius2))))
        with (m * (radius2 + radius2)) in N by ring.
  Qed.
End Unit.
