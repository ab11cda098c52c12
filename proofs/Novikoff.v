(** Novikoff 1962: the perceptron makes at most R²/γ² updates, in whatever order it looks.

    The rule is that of src/rosenblatt/rules.py, [Perceptron.step] and [correct]:

      ahead = y * dot(points, i, weights)
      if ahead > threshold or (ahead == threshold and not tie): return NOTHING
      add(points, i, steps[i] * y, weights)

    with any threshold δ ≥ 0, any treatment of ties and any positive step of each point. *)

Require Import ZArith List Bool Lia Ring.
From Proofs Require Import OrderedRing.
Import ListNotations.

Section Novikoff.
  Variable F : OrderedRing.
  Open Scope number_scope.
  Add Ring F_ring : (ring_laws F).

  (** A padded row, whether its class is the positive one, and its step. *)
  Record point := Point { x : list F; positive : bool; step : F }.

  Definition y (p : point) : F := if positive p then 1 else - (1).

  Variables (threshold : F) (tie_negative tie_positive : bool).

  Definition ahead (p : point) (w : list F) : F := y p * dot w (x p).

  Definition tie (p : point) : bool := if positive p then tie_positive else tie_negative.

  (** Not (ahead > threshold or (ahead == threshold and not tie)). *)
  Definition mistake (p : point) (w : list F) : Prop :=
    ahead p w < threshold \/ (ahead p w = threshold /\ tie p = true).

  (** [run order w k m w']: looking at the points of [order] one after the other leads from w to
      w' by k updates, whose steps add up to m. *)
  Inductive run : list point -> list F -> nat -> F -> list F -> Prop :=
    | nothing w : run [] w 0 0 w
    | correct p order w k m w' :
        ~ mistake p w -> run order w k m w' -> run (p :: order) w k m w'
    | update p order w k m w' :
        mistake p w -> run order (sum w (scaled (step p * y p) (x p))) k m w' ->
        run (p :: order) w (S k) (step p + m) w'.

  (** What is known of the points: some u has margin γ on each; their radius and steps. *)
  Variables (u : list F) (gamma radius2 eta : F).
  Hypothesis threshold_nonnegative : 0 <= threshold.
  Hypothesis gamma_nonnegative : 0 <= gamma.
  Hypothesis radius_nonnegative : 0 <= radius2.

  Definition fine (p : point) : Prop :=
    gamma <= y p * dot u (x p) /\ dot (x p) (x p) <= radius2 /\ 0 < step p /\ step p <= eta.

  Lemma y_squared p : y p * y p = 1.
  Proof. unfold y. destruct (positive p); ring. Qed.

  (** 2δ + ηR², what an update of step 1 adds to ‖w‖² at most. *)
  Definition growth : F := threshold + threshold + eta * radius2.

  Lemma norm_grows p w :
    fine p -> mistake p w ->
    let w' := sum w (scaled (step p * y p) (x p)) in
    dot w' w' <= dot w w + step p * growth.
  Proof.
    intros (_ & Hx & Hs & He) Hm w'. unfold w'.
    rewrite dot_sum, dot_scaled, !(dot_commutes _ (sum _ _)), !dot_sum, !dot_scaled.
    rewrite (dot_commutes _ (x p) w).
    assert (Ha : ahead p w <= threshold) by (destruct Hm as [H | [H _]]; [now left | now right]).
    assert (Hx' : step p * dot (x p) (x p) <= eta * radius2).
    { apply at_most_transitive with (b := step p * radius2).
      - apply times_monotone; [now left | exact Hx].
      - replace (step p * radius2) with (radius2 * step p) by ring.
        replace (eta * radius2) with (radius2 * eta) by ring. now apply times_monotone. }
    replace (dot w w + step p * y p * dot w (x p)
             + step p * y p * (dot w (x p) + step p * y p * dot (x p) (x p)))
      with (dot w w + step p * (ahead p w + ahead p w
            + step p * dot (x p) (x p) * (y p * y p))) by (unfold ahead; ring).
    rewrite y_squared.
    replace (step p * dot (x p) (x p) * 1) with (step p * dot (x p) (x p)) by ring.
    apply plus_monotone; [now right |]. apply times_monotone; [now left |].
    unfold growth. auto using plus_monotone.
  Qed.

  Lemma progress p w :
    fine p ->
    dot u w + step p * gamma <= dot u (sum w (scaled (step p * y p) (x p))).
  Proof.
    intros (Hg & _ & Hs & _). rewrite dot_sum, dot_scaled.
    apply plus_monotone; [now right |].
    replace (step p * y p * dot u (x p)) with (step p * (y p * dot u (x p))) by ring.
    apply times_monotone; [now left | exact Hg].
  Qed.

  Lemma run_sandwich order w k m w' :
    run order w k m w' -> (forall p, In p order -> fine p) ->
    dot u w + m * gamma <= dot u w' /\ dot w' w' <= dot w w + m * growth /\ 0 <= m.
  Proof.
    induction 1 as [w | p order w k m w' _ _ IH | p order w k m w' Hm _ IH]; intro H.
    - repeat split; right; ring.
    - apply IH. intros; apply H; now right.
    - destruct IH as (I1 & I2 & I3); [intros; apply H; now right |].
      specialize (H p (or_introl eq_refl)). pose proof (progress p w H) as P.
      pose proof (norm_grows p w H Hm) as N. simpl in N. repeat split.
      + apply at_most_transitive with (2 := I1).
        replace (dot u w + (step p + m) * gamma) with (dot u w + step p * gamma + m * gamma) by ring.
        apply plus_monotone; [exact P | now right].
      + apply at_most_transitive with (1 := I2).
        replace (dot w w + (step p + m) * growth)
          with (dot w w + step p * growth + m * growth) by ring.
        apply plus_monotone; [exact N | now right].
      + destruct H as (_ & _ & Hs & _). apply plus_nonnegative; [now left | exact I3].
  Qed.

  (** Theorem, any steps: started at 0, (γ·m)² ≤ ‖u‖²·m·(ηR² + 2δ), m the sum of steps taken. *)
  Theorem novikoff_steps order k m w' :
    run order [] k m w' -> (forall p, In p order -> fine p) ->
    (m * gamma) * (m * gamma) <= dot u u * (m * growth).
  Proof.
    intros Hr H. destruct (run_sandwich _ _ _ _ _ Hr H) as (I1 & I2 & I3).
    rewrite dot_nil in I1. simpl in I2.
    replace (0 + m * gamma) with (m * gamma) in I1 by ring.
    replace (0 + m * growth) with (m * growth) in I2 by ring.
    apply at_most_transitive with (b := dot u w' * dot u w').
    - apply square_monotone; [now apply times_nonnegative | exact I1].
    - apply at_most_transitive with (1 := cauchy_schwarz F u w').
      apply times_monotone; [apply dot_nonnegative | exact I2].
  Qed.

  Lemma steps_equal order w k m w' :
    run order w k m w' -> (forall p, In p order -> step p = eta) ->
    m = number (Z.of_nat k) * eta.
  Proof.
    induction 1 as [w | p order w k m w' _ _ IH | p order w k m w' _ _ IH]; intro H.
    - simpl. rewrite number_0. ring.
    - apply IH. intros; apply H; now right.
    - rewrite IH by (intros; apply H; now right). rewrite (H p (or_introl eq_refl)).
      rewrite Nat2Z.inj_succ. unfold Z.succ. rewrite number_plus, number_1. ring.
  Qed.

  (** Theorem, one step η for all: k·η·γ² ≤ (ηR² + 2δ)·‖u‖². *)
  Theorem novikoff_threshold order k m w' :
    0 < eta -> run order [] k m w' -> (forall p, In p order -> fine p) ->
    (forall p, In p order -> step p = eta) ->
    number (Z.of_nat k) * eta * (gamma * gamma) <= dot u u * growth.
  Proof.
    intros He Hr H Hs. pose proof (novikoff_steps _ _ _ _ Hr H) as N.
    pose proof (steps_equal _ _ _ _ _ Hr Hs) as E.
    assert (Hg : 0 <= growth).
    { assert (0 <= eta) by now left. unfold growth.
      auto using plus_nonnegative, times_nonnegative. }
    destruct k as [| k].
    - simpl Z.of_nat. rewrite number_0.
      replace (0 * eta * (gamma * gamma)) with (0 : F) by ring.
      apply times_nonnegative; [apply dot_nonnegative | exact Hg].
    - rewrite <- E. assert (Hm : 0 < m).
      { rewrite E. apply less_times; [apply number_positive; lia | exact He]. }
      apply times_cancel with (c := m); [exact Hm |].
      replace (m * (m * (gamma * gamma))) with (m * gamma * (m * gamma)) by ring.
      replace (m * (dot u u * growth)) with (dot u u * (m * growth)) by ring. exact N.
  Qed.
End Novikoff.

Arguments run {F}. Arguments step {F}. Arguments x {F}. Arguments y {F}.

(** Novikoff's theorem: with threshold 0, step 1 and a unit u of margin γ on every point, k updates
    obey k·γ² ≤ R², whatever the order, its length and the ties. *)
Section Unit.
  Variable F : OrderedRing.
  Open Scope number_scope.
  Add Ring F_ring' : (ring_laws F).

  Theorem novikoff (tie_negative tie_positive : bool) (u : list F) (gamma radius2 : F)
      (order : list (point F)) k m w :
    dot u u = 1 -> 0 <= gamma -> 0 <= radius2 ->
    (forall p, In p order ->
       gamma <= y p * dot u (x p) /\ dot (x p) (x p) <= radius2 /\ step p = 1) ->
    run 0 tie_negative tie_positive order [] k m w ->
    number (Z.of_nat k) * (gamma * gamma) <= radius2.
  Proof.
    intros Hu Hg Hr H R. assert (H1 : 0 < (1 : F)) by apply less_one.
    assert (K : number (Z.of_nat k) * 1 * (gamma * gamma) <= dot u u * growth F 0 radius2 1).
    { apply novikoff_threshold with (5 := R); auto.
      - intros p I. destruct (H p I) as (A & B & C). unfold fine. rewrite C. repeat split; auto.
      - intros p I. now destruct (H p I) as (A & B & C). }
    rewrite Hu in K. unfold growth in K.
    replace (number (Z.of_nat k) * 1 * (gamma * gamma))
      with (number (Z.of_nat k) * (gamma * gamma)) in K by ring.
    now replace (1 * (0 + 0 + 1 * radius2)) with radius2 in K by ring.
  Qed.
End Unit.
