(** What the checker accepts is true, for weights from any ordered ring.

    A score here is pad times the score of the data's own row x = values / pad, and pad > 0, so
    that the signs are the same; Reals.v says so for real weights. *)

Require Import ZArith List Bool Lia FMapPositive Ring.
From Proofs Require Import OrderedRing Checker.
Import ListNotations.

Arguments Z.eqb : simpl never. Arguments Z.leb : simpl never. Arguments Z.ltb : simpl never.
Arguments Z.add : simpl never. Arguments Z.mul : simpl never. Arguments Z.opp : simpl never.

Section Meaning.
  Variable F : OrderedRing.
  Variable pr : problem.
  Open Scope number_scope.
  Add Ring F_ring : (ring_laws F).

  (** Weights and bias of each class; of one or two classes there is one hyperplane, number 0. *)
  Variable W : nat -> list F.
  Variable B : nat -> F.

  Definition score (k : nat) (x : list Z) : F :=
    dot (W k) (map number x) + (if bias pr then B k * number (pad pr) else 0).

  (** What requirement [k] of the row wants to be positive. *)
  Definition lead (p : row) (k : nat) : F :=
    if binary pr then
      if positive_side pr p then score 0 (values p) else - score 0 (values p)
    else score (label p) (values p) - score k (values p).

  (** The row is strictly on its side: with one hyperplane the score has the sign of its class,
      with one weight vector per class its own scores highest. *)
  Definition right (p : row) : Prop := forall k, is_rival pr p k = true -> 0 < lead p k.

  (** ‖weights‖², of [free] bias without the biases. *)
  Fixpoint square_sum (V : nat -> list F) (m : nat) : F :=
    match m with
    | O => 0
    | S m' => dot (V 0%nat) (V 0%nat) + square_sum (fun k => V (S k)) m'
    end.

  Definition size (free : bool) : F :=
    square_sum (fun k => if bias pr then (if free then 0 else B k) :: W k else W k) (vectors pr).

  (** ** Padding *)

  Definition whole (k : nat) : list F := if bias pr then B k :: W k else W k.

  Lemma score_padded k x : score k x = dot (whole k) (map number (padded pr x)).
  Proof.
    unfold score, whole, padded. destruct (bias pr); simpl; ring.
  Qed.

  Lemma number_sum v : forall w, map (@number F) (zsum v w) = sum (map number v) (map number w).
  Proof.
    induction v as [| x v IH]; intros [| y w]; simpl; try reflexivity.
    now rewrite number_plus, IH.
  Qed.

  Lemma number_scaled c v : map (@number F) (zscaled c v) = scaled (number c) (map number v).
  Proof.
    unfold zscaled, scaled. rewrite !map_map. apply map_ext. intro. apply number_times.
  Qed.

  Lemma number_dot v : forall w, @number F (zdot v w) = dot (map number v) (map number w).
  Proof.
    induction v as [| x v IH]; intros [| y w]; simpl; try apply number_0.
    now rewrite number_plus, number_times, IH.
  Qed.

  Lemma dot_zeros (u : list F) : forall v, zeros v = true -> dot u (map number v) = 0.
  Proof.
    induction u as [| z u IH]; intros [| x v] H; simpl in *; try reflexivity.
    apply andb_true_iff in H as [H%Z.eqb_eq K]. subst x. rewrite number_0, IH by exact K. ring.
  Qed.

  (** ** Rows that cancel *)

  Fixpoint blocks_dot (V : nat -> list F) (blocks : list (list Z)) : F :=
    match blocks with
    | [] => 0
    | b :: rest => dot (V 0%nat) (map number b) + blocks_dot (fun k => V (S k)) rest
    end.

  Lemma blocks_dot_add v k :
    forall V blocks,
      blocks_dot V (add_to k v blocks) = blocks_dot V blocks + dot (V k) (map number v).
  Proof.
    induction k as [| k IH]; intros V [| b rest]; simpl.
    - ring.
    - rewrite number_sum, dot_sum. ring.
    - rewrite dot_nil, IH. simpl. ring.
    - rewrite IH. ring.
  Qed.

  Arguments add_to : simpl never.

  Lemma blocks_dot_zeros blocks :
    forall V, forallb zeros blocks = true -> blocks_dot V blocks = 0.
  Proof.
    induction blocks as [| b rest IH]; intros V H; simpl in *; [reflexivity |].
    apply andb_true_iff in H as [H K]. rewrite dot_zeros, IH by assumption. ring.
  Qed.

  (** Σ α · lead over terms. *)
  Fixpoint leads (terms : list term) : F :=
    match terms with
    | [] => 0
    | (r, k, a) :: rest =>
        match PositiveMap.find r (rows pr) with
        | None => 0
        | Some p => number a * lead p k + leads rest
        end
    end.

  Lemma combined_leads terms :
    forall blocks result,
      combined pr terms blocks = Some result ->
      blocks_dot whole result = blocks_dot whole blocks + leads terms.
  Proof.
    induction terms as [| [[r k] a] rest IH]; intros blocks result H; simpl in *.
    - injection H as <-. ring.
    - destruct (PositiveMap.find r (rows pr)) as [p |]; [| discriminate].
      destruct ((0 <? a)%Z && is_rival pr p k); [| discriminate].
      apply IH in H. rewrite H. unfold lead.
      destruct (binary pr).
      + rewrite blocks_dot_add, number_scaled, dot_scaled, <- score_padded.
        destruct (positive_side pr p); [| rewrite number_opposite]; ring.
      + rewrite !blocks_dot_add, !number_scaled, !dot_scaled, <- !score_padded, number_opposite.
        ring.
  Qed.

  (** Every term of a combination names a requirement of a row, with a positive factor. *)
  Lemma combined_terms terms :
    forall blocks result,
      combined pr terms blocks = Some result ->
      forall r k a, In (r, k, a) terms ->
        exists p, PositiveMap.find r (rows pr) = Some p /\ is_rival pr p k = true /\ (0 < a)%Z.
  Proof.
    induction terms as [| [[r k] a] rest IH]; intros blocks result H r' k' a' I; simpl in *.
    - contradiction.
    - destruct (PositiveMap.find r (rows pr)) as [p |] eqn:Hp; [| discriminate].
      destruct ((0 <? a)%Z && is_rival pr p k) eqn:Hc; [| discriminate].
      apply andb_true_iff in Hc as [Ha%Z.ltb_lt Hk].
      destruct I as [I | I]; [injection I as <- <- <-; eauto | eauto].
  Qed.

  Lemma leads_nonnegative terms :
    (forall r k a, In (r, k, a) terms ->
       exists p, PositiveMap.find r (rows pr) = Some p /\ (0 < a)%Z /\ 0 <= lead p k) ->
    0 <= leads terms.
  Proof.
    induction terms as [| [[r k] a] rest IH]; intro H; simpl; [now right |].
    destruct (H r k a (or_introl eq_refl)) as (p & -> & Ha & Hl).
    apply plus_nonnegative.
    - apply times_nonnegative; [left; now apply number_positive | exact Hl].
    - apply IH. intros; apply H. now right.
  Qed.

  Lemma leads_positive terms :
    terms <> [] ->
    (forall r k a, In (r, k, a) terms ->
       exists p, PositiveMap.find r (rows pr) = Some p /\ (0 < a)%Z /\ 0 < lead p k) ->
    0 < leads terms.
  Proof.
    destruct terms as [| [[r k] a] rest]; [congruence | intros _ H]. simpl.
    destruct (H r k a (or_introl eq_refl)) as (p & -> & Ha & Hl).
    apply plus_positive_left.
    - apply less_times; [now apply number_positive | exact Hl].
    - apply leads_nonnegative. intros r' k' a' I.
      destruct (H r' k' a' (or_intror I)) as (p' & Hp & Ha' & Hl'). exists p'. intuition.
  Qed.

  Lemma inseparability_unfold terms :
    inseparability pr terms = true ->
    terms <> [] /\ leads terms = 0 /\
    forall r k a, In (r, k, a) terms ->
      exists p, PositiveMap.find r (rows pr) = Some p /\ is_rival pr p k = true /\ (0 < a)%Z.
  Proof.
    intro H. unfold inseparability in H. destruct terms as [| t rest]; [discriminate |].
    apply andb_true_iff in H as [_ H].
    destruct (combined pr (t :: rest) []) as [blocks |] eqn:Hc; [| discriminate].
    split; [congruence | split].
    - apply combined_leads in Hc. rewrite blocks_dot_zeros in Hc by exact H. simpl blocks_dot in Hc.
      symmetry. now replace (0 + leads (t :: rest)) with (leads (t :: rest)) in Hc by ring.
    - exact (combined_terms _ _ _ Hc).
  Qed.

  (** The rows that an accepted inseparability cites cannot all be on their sides. *)
  Lemma inseparability_of_cited terms :
    inseparability pr terms = true ->
    (forall r p, In r (ids terms) -> PositiveMap.find r (rows pr) = Some p -> right p) -> False.
  Proof.
    intros (Hn & Hz & Ht)%inseparability_unfold H.
    assert (K : 0 < leads terms).
    { apply leads_positive; [exact Hn |]. intros r k a I.
      destruct (Ht r k a I) as (p & Hp & Hk & Ha). exists p. repeat split; try assumption.
      apply (H r p); [| exact Hp | exact Hk]. unfold ids.
      now apply (in_map (fun '(r, _, _) => r) terms (r, k, a)). }
    rewrite Hz in K. exact (less_irreflexive _ _ K).
  Qed.

  (** Theorem: no weights whatever put all rows on their sides. *)
  Theorem inseparability_sound terms :
    inseparability pr terms = true ->
    ~ (forall r p, PositiveMap.find r (rows pr) = Some p -> right p).
  Proof.
    intros Hc H. apply (inseparability_of_cited terms Hc). intros r p _. apply H.
  Qed.

  (** ** Margins from above *)

  Lemma square_sum_nonnegative m : forall V, 0 <= square_sum V m.
  Proof.
    induction m as [| m IH]; intro V; simpl; [now right |].
    apply plus_nonnegative; [apply dot_nonnegative | apply IH].
  Qed.

  Lemma square_sum_monotone m : forall V n, (m <= n)%nat -> square_sum V m <= square_sum V n.
  Proof.
    induction m as [| m IH]; intros V n H; simpl; [apply square_sum_nonnegative |].
    destruct n as [| n]; [lia |]. simpl.
    apply plus_monotone; [now right | apply IH; lia].
  Qed.

  Lemma square_of_nonnegative blocks : 0 <= @number F (square_of blocks).
  Proof.
    induction blocks as [| b rest IH]; simpl; [right; symmetry; apply number_0 |].
    rewrite number_plus, number_dot. apply plus_nonnegative; [apply dot_nonnegative | exact IH].
  Qed.

  Lemma blocks_cauchy_schwarz blocks :
    forall V, blocks_dot V blocks * blocks_dot V blocks
              <= square_sum V (length blocks) * number (square_of blocks).
  Proof.
    induction blocks as [| b rest IH]; intro V; simpl.
    - right. ring.
    - rewrite number_plus, number_dot.
      replace (dot (V 0%nat) (map number b) + blocks_dot (fun k => V (S k)) rest)
        with (blocks_dot (fun k => V (S k)) rest + dot (V 0%nat) (map number b)) by ring.
      replace (dot (V 0%nat) (V 0%nat) + square_sum (fun k => V (S k)) (length rest))
        with (square_sum (fun k => V (S k)) (length rest) + dot (V 0%nat) (V 0%nat)) by ring.
      replace (dot (map (@number F) b) (map number b) + number (square_of rest))
        with (number (square_of rest) + dot (map (@number F) b) (map number b)) by ring.
      apply cauchy_schwarz_step; try apply dot_nonnegative.
      + apply square_sum_nonnegative.
      + apply square_of_nonnegative.
      + apply IH.
      + apply cauchy_schwarz.
  Qed.

  (** Without a contribution of the biases they may as well be 0. *)
  Lemma blocks_dot_free blocks :
    forall (b : nat -> F) (w : nat -> list F),
      forallb (fun v => Z.eqb 0 (hd 0%Z v)) blocks = true ->
      blocks_dot (fun k => b k :: w k) blocks = blocks_dot (fun k => 0 :: w k) blocks.
  Proof.
    induction blocks as [| v rest IH]; intros b w H; simpl in *; [reflexivity |].
    apply andb_true_iff in H as [H%Z.eqb_eq K].
    rewrite (IH (fun k => b (S k)) (fun k => w (S k)) K).
    destruct v as [| x v]; simpl in *; [reflexivity |]. subst x. rewrite number_0. ring.
  Qed.

  Lemma leads_at_least terms g :
    (forall r k a, In (r, k, a) terms ->
       exists p, PositiveMap.find r (rows pr) = Some p /\ (0 < a)%Z /\ g <= lead p k) ->
    number (total terms) * g <= leads terms.
  Proof.
    induction terms as [| [[r k] a] rest IH]; intro H; simpl.
    - right. rewrite number_0. ring.
    - destruct (H r k a (or_introl eq_refl)) as (p & -> & Ha & Hl). rewrite number_plus.
      replace ((number a + number (total rest)) * g)
        with (number a * g + number (total rest) * g) by ring.
      apply plus_monotone.
      + apply times_monotone; [left; now apply number_positive | exact Hl].
      + apply IH. intros. apply H. now right.
  Qed.

  Lemma total_positive terms :
    terms <> [] -> (forall r k a, In (r, k, a) terms -> (0 < a)%Z) -> (0 < total terms)%Z.
  Proof.
    assert (K : forall ts, (forall r k a, In (r, k, a) ts -> (0 < a)%Z) -> (0 <= total ts)%Z).
    { induction ts as [| [[r k] a] rest IH]; intro H; simpl; [lia |].
      specialize (H r k a (or_introl eq_refl)) as Ha.
      assert ((0 <= total rest)%Z) by (apply IH; intros; eapply H; right; eassumption). lia. }
    destruct terms as [| [[r k] a] rest]; [congruence | intros _ H]. simpl.
    specialize (H r k a (or_introl eq_refl)) as Ha.
    assert ((0 <= total rest)%Z) by (apply K; intros; eapply H; right; eassumption). lia.
  Qed.

  (** Theorem: where all rows lead by g or more, g ≤ (num/den)·pad·‖weights‖: no weights have a
      margin above num/den. *)
  Theorem margin_bound_sound free terms num den g :
    margin_bound pr free terms num den = true ->
    0 <= g ->
    (forall r p, PositiveMap.find r (rows pr) = Some p ->
       forall k, is_rival pr p k = true -> g <= lead p k) ->
    (number den * g) * (number den * g)
    <= (number num * number (pad pr)) * (number num * number (pad pr)) * size free.
  Proof.
    intros H Hg Hall. unfold margin_bound in H. destruct terms as [| t rest]; [discriminate |].
    set (terms := t :: rest) in *. rewrite !andb_true_iff in H.
    destruct H as [[[Hpad%Z.ltb_lt Hnum%Z.leb_le] Hden%Z.ltb_lt] H].
    destruct (combined pr terms []) as [blocks |] eqn:Hc; [| discriminate].
    rewrite !andb_true_iff in H. destruct H as [[Hlen%Nat.leb_le Hfree] Hsq%Z.leb_le].
    pose proof (combined_terms _ _ _ Hc) as Hterms.
    apply combined_leads in Hc. simpl (blocks_dot whole []) in Hc.
    assert (Hleads : number (total terms) * g <= leads terms).
    { apply leads_at_least. intros r k a I. destruct (Hterms r k a I) as (p & Hp & Hk & Ha).
      exists p. repeat split; try assumption. now apply (Hall r). }
    assert (Htotal : (0 < total terms)%Z).
    { apply total_positive; [discriminate |]. intros r k a I.
      now destruct (Hterms r k a I) as (p & _ & _ & Ha). }
    set (V := fun k => if bias pr then (if free then 0 else B k) :: W k else W k).
    assert (HV : leads terms = blocks_dot V blocks).
    { replace (leads terms) with (blocks_dot whole blocks) by (rewrite Hc; ring).
      unfold V, whole. destruct (bias pr) eqn:Hb; [| reflexivity].
      destruct free; [| reflexivity]. simpl in Hfree. now apply blocks_dot_free. }
    assert (HT : 0 < @number F (total terms)) by now apply number_positive.
    assert (Hg2 : (number (total terms) * g) * (number (total terms) * g)
                  <= size free * number (square_of blocks)).
    { apply at_most_transitive with (b := leads terms * leads terms).
      - apply square_monotone; [| exact Hleads]. apply times_nonnegative; [now left | exact Hg].
      - rewrite HV. apply at_most_transitive with (1 := blocks_cauchy_schwarz blocks V).
        replace (square_sum V (length blocks) * number (square_of blocks))
          with (number (square_of blocks) * square_sum V (length blocks)) by ring.
        replace (size free * number (square_of blocks))
          with (number (square_of blocks) * size free) by ring.
        apply times_monotone; [apply square_of_nonnegative |].
        apply square_sum_monotone. exact Hlen. }
    apply times_cancel with (c := number (total terms) * number (total terms));
      [now apply less_times |].
    replace (number (total terms) * number (total terms) * (number den * g * (number den * g)))
      with (number den * number den * ((number (total terms) * g) * (number (total terms) * g)))
      by ring.
    apply at_most_transitive
      with (b := number den * number den * (size free * number (square_of blocks))).
    - apply times_monotone; [apply square_nonnegative | exact Hg2].
    - replace (number den * number den * (size free * number (square_of blocks)))
        with (size free * (number den * number den * number (square_of blocks))) by ring.
      replace (number (total terms) * number (total terms) *
               (number num * number (pad pr) * (number num * number (pad pr)) * size free))
        with (size free * (number num * number num * (number (pad pr) * number (pad pr))
                           * (number (total terms) * number (total terms)))) by ring.
      apply times_monotone; [apply square_sum_nonnegative |].
      apply (number_monotone F) in Hsq. now rewrite !number_times in Hsq.
  Qed.
End Meaning.

Arguments score {F}. Arguments lead {F}. Arguments right {F}. Arguments size {F}.
