(** An accepted overlap: weights that put no row on the wrong side put all rows on the boundary. *)

Require Import ZArith List Bool Lia FMapPositive Ring.
From Proofs Require Import OrderedRing Checker Sound.
Import ListNotations.

Arguments Z.mul : simpl never. Arguments Z.add : simpl never. Arguments Z.opp : simpl never.
Arguments Z.eqb : simpl never.

Section Overlap.
  Variable F : OrderedRing.
  Variable pr : problem.
  Variable W : nat -> list F.
  Variable B : nat -> F.
  Open Scope number_scope.
  Add Ring F_ring : (ring_laws F).

  Lemma no_zero_divisors (a b : F) : a * b = 0 -> a <> 0 -> b = 0.
  Proof.
    intros H Ha.
    assert (K : forall x y : F, 0 < x -> 0 < y -> x * y <> 0).
    { intros x y Hx Hy E. apply (less_irreflexive F 0). rewrite <- E at 2. now apply less_times. }
    assert (N : forall x : F, x < 0 -> 0 < - x) by (intro; apply opposite_positive).
    destruct (less_total _ 0 a) as [A | [A | A]]; [| congruence |];
      destruct (less_total _ 0 b) as [C | [C | C]]; try (now symmetry); exfalso.
    - now apply (K a b).
    - apply (K a (- b)); auto. replace (a * - b) with (- (a * b)) by ring. rewrite H. ring.
    - apply (K (- a) b); auto. replace (- a * b) with (- (a * b)) by ring. rewrite H. ring.
    - apply (K (- a) (- b)); auto. replace (- a * - b) with (a * b) by ring. exact H.
  Qed.

  Lemma number_nonzero z : z <> 0%Z -> @number F z <> 0.
  Proof.
    intros Hz E. destruct (Z.lt_total z 0) as [H | [H | H]]; [| congruence |].
    - assert (K : 0 < @number F (- z)) by (apply number_positive; lia).
      rewrite number_opposite, E in K. apply (less_irreflexive F 0).
      now replace (- (0 : F)) with (0 : F) in K by ring.
    - assert (K : 0 < @number F z) by (apply number_positive; lia). rewrite E in K.
      exact (less_irreflexive F 0 K).
  Qed.

  Variable u : list F.

  Definition orthogonal (v : list Z) : Prop := dot u (map number v) = 0.

  Lemma shortened_same v : orthogonal (shortened v) <-> orthogonal v.
  Proof.
    unfold shortened. set (g := fold_right Z.gcd 0%Z v).
    set (v' := map (fun x => (x / g)%Z) v).
    destruct (negb (Z.eqb 0 g) && forallb (fun '(x, y) => Z.eqb (g * x) y) (combine v' v)
              && Nat.eqb (length v') (length v)) eqn:H; [| reflexivity].
    rewrite !andb_true_iff in H. destruct H as [[Hg%negb_true_iff%Z.eqb_neq H] Hl%Nat.eqb_eq].
    assert (E : v = zscaled g v').
    { clearbody v' g. clear Hg. revert v H Hl.
      induction v' as [| x v' IH]; intros [| y v] H Hl; simpl in *; try discriminate;
        [reflexivity |].
      apply andb_true_iff in H as [H%Z.eqb_eq K]. subst y. now rewrite (IH v K) at 1 by lia. }
    unfold orthogonal. rewrite E at 1. rewrite number_scaled, dot_scaled. split; intro K.
    - rewrite K. ring.
    - apply no_zero_divisors in K; [exact K | apply number_nonzero; congruence].
  Qed.

  Lemma eliminate_same v i e :
    orthogonal e -> (orthogonal (eliminate v (i, e)) <-> orthogonal v).
  Proof.
    intro He. unfold eliminate. destruct (Z.eqb 0 (at_ i v)) eqn:Hv; [reflexivity |].
    destruct (Z.eqb 0 (at_ i e)) eqn:Hp; [reflexivity |]. simpl. rewrite shortened_same.
    apply Z.eqb_neq in Hp. unfold orthogonal in *.
    rewrite number_sum, dot_sum, !number_scaled, !dot_scaled, He.
    replace (number (at_ i e) * dot u (map number v) + number (- at_ i v) * 0)
      with (number (at_ i e) * dot u (map number v)) by ring.
    split; intro K.
    - apply no_zero_divisors in K; [exact K | apply number_nonzero; congruence].
    - rewrite K. ring.
  Qed.

  Lemma reduced_same basis :
    (forall i e, In (i, e) basis -> orthogonal e) ->
    forall v, orthogonal (reduced basis v) <-> orthogonal v.
  Proof.
    unfold reduced. induction basis as [| [i e] basis IH]; intros H v; simpl; [reflexivity |].
    rewrite IH by (intros j f I; apply (H j); now right).
    apply eliminate_same. apply (H i). now left.
  Qed.

  Lemma with_row_orthogonal basis v :
    (forall i e, In (i, e) basis -> orthogonal e) -> orthogonal v ->
    forall i e, In (i, e) (with_row basis v) -> orthogonal e.
  Proof.
    intros H Hv i e. unfold with_row. destruct (first_nonzero 0 (reduced basis v)); [| apply H].
    rewrite in_app_iff. intros [I | [I | []]]; [now apply (H i) |].
    injection I as <- <-. now apply reduced_same.
  Qed.

  Lemma basis_orthogonal vs :
    forall basis,
      (forall i e, In (i, e) basis -> orthogonal e) -> (forall v, In v vs -> orthogonal v) ->
      forall i e, In (i, e) (fold_left with_row vs basis) -> orthogonal e.
  Proof.
    induction vs as [| v vs IH]; intros basis H Hv; simpl; [exact H |].
    apply IH; [| intros; apply Hv; now right].
    apply with_row_orthogonal; [exact H | apply Hv; now left].
  Qed.
End Overlap.

Section Sound.
  Variable F : OrderedRing.
  Variable pr : problem.
  Variable W : nat -> list F.
  Variable B : nat -> F.
  Open Scope number_scope.
  Add Ring F_ring' : (ring_laws F).

  (** Of terms that lead nowhere negative and cancel, each leads by nothing. *)
  Lemma each_zero terms :
    leads F pr W B terms = 0 ->
    (forall r k a, In (r, k, a) terms -> exists p,
       PositiveMap.find r (rows pr) = Some p /\ (0 < a)%Z /\ 0 <= lead pr W B p k) ->
    forall r k a p, In (r, k, a) terms -> PositiveMap.find r (rows pr) = Some p ->
      lead pr W B p k = 0.
  Proof.
    induction terms as [| [[r k] a] rest IH]; intros Hz H r' k' a' p' I Hp'; [contradiction |].
    simpl in Hz. destruct (H r k a (or_introl eq_refl)) as (p & Hp & Ha & Hl). rewrite Hp in Hz.
    assert (Hr : 0 <= leads F pr W B rest).
    { apply leads_nonnegative. intros; apply H. now right. }
    assert (Hf : lead pr W B p k = 0).
    { destruct Hl as [Hl | Hl]; [exfalso | now symmetry].
      assert (K : 0 < number a * lead pr W B p k + leads F pr W B rest).
      { apply plus_positive_left; [| exact Hr]. apply less_times; [now apply number_positive |].
        exact Hl. }
      rewrite Hz in K. exact (less_irreflexive F 0 K). }
    destruct I as [I | I].
    - injection I as <- <- <-. congruence.
    - apply (IH) with (r := r') (a := a'); try assumption.
      + rewrite Hf in Hz. now replace (number a * 0 + leads F pr W B rest)
          with (leads F pr W B rest) in Hz by ring.
      + intros; apply H. now right.
  Qed.

  Lemma lead_zero p k :
    binary pr = true -> (lead pr W B p k = 0 <-> score pr W B 0 (values p) = 0).
  Proof.
    intro Hb. unfold lead. rewrite Hb. destruct (positive_side pr p); [reflexivity |].
    split; intro K.
    - replace (score pr W B 0 (values p)) with (- - score pr W B 0 (values p)) by ring.
      rewrite K. ring.
    - rewrite K. ring.
  Qed.

  (** Theorem: there is no separation of any kind, not even a weak one. *)
  Theorem overlap_sound terms :
    overlap pr terms = true ->
    (forall r p, PositiveMap.find r (rows pr) = Some p ->
       forall k, is_rival pr p k = true -> 0 <= lead pr W B p k) ->
    forall r p, PositiveMap.find r (rows pr) = Some p ->
      forall k, is_rival pr p k = true -> lead pr W B p k = 0.
  Proof.
    unfold overlap. rewrite !andb_true_iff. intros [[Hb Hi] Hs] H r p Hp k _.
    destruct (inseparability_unfold F pr W B terms Hi) as (_ & Hz & Ht).
    rewrite forallb_forall in Hs. pose proof (PositiveMap.elements_correct _ _ Hp) as I.
    specialize (Hs _ I). simpl in Hs. apply lead_zero; [exact Hb |].
    rewrite score_padded. change (orthogonal F (whole F pr W B 0) (padded pr (values p))).
    rewrite <- (reduced_same F _ (fold_left with_row (cited pr terms) [])).
    - unfold orthogonal. now apply dot_zeros.
    - apply basis_orthogonal; [contradiction |]. intros v Iv.
      assert (C : forall ts v, In v (cited pr ts) -> exists r k a q, In (r, k, a) ts /\
                  PositiveMap.find r (rows pr) = Some q /\ v = padded pr (values q)).
      { clear. induction ts as [| [[r k] a] ts IH]; intros v I; simpl in I; [contradiction |].
        destruct (PositiveMap.find r (rows pr)) as [q |] eqn:Hq.
        - destruct I as [<- | I]; [exists r, k, a, q; simpl; auto |].
          destruct (IH v I) as (r' & k' & a' & q' & I' & H). exists r', k', a', q'. simpl. tauto.
        - destruct (IH v I) as (r' & k' & a' & q' & I' & H). exists r', k', a', q'. simpl. tauto. }
      destruct (C terms v Iv) as (r' & k' & a' & q & I' & Hq & ->).
      unfold orthogonal. rewrite <- score_padded. apply (lead_zero q k' Hb).
      apply (each_zero terms Hz) with (r := r') (a := a'); try assumption.
      intros r0 k0 a0 I0. destruct (Ht r0 k0 a0 I0) as (p0 & Hp0 & Hk0 & Ha0).
      exists p0. repeat split; try assumption. now apply (H r0).
  Qed.
End Sound.
