(** An accepted separation puts every row strictly on its side, with the margin it says. *)

Require Import ZArith List Bool Lia FMapPositive Ring.
From Proofs Require Import OrderedRing Checker Sound.
Import ListNotations.

Section Separation.
  Variable F : OrderedRing.
  Variable pr : problem.
  Variable ws : weights.
  Open Scope number_scope.
  Add Ring F_ring : (ring_laws F).

  (** The weights of the certificate, as numbers of the ring. *)
  Definition W (k : nat) : list F := map number (snd (nth k ws (0%Z, []))).
  Definition B (k : nat) : F := number (fst (nth k ws (0%Z, []))).

  Lemma whole_number k : whole F pr W B k = map number (vector pr ws k).
  Proof.
    unfold whole, vector, W, B. destruct (nth k ws (0%Z, [])) as [b w]. now destruct (bias pr).
  Qed.

  Lemma lead_number p k : lead pr W B p k = number (gap pr ws p k).
  Proof.
    unfold lead, gap. rewrite !score_padded, !whole_number.
    destruct (binary pr); [destruct (positive_side pr p) |].
    - now rewrite number_dot.
    - now rewrite number_opposite, number_dot.
    - now rewrite number_minus, !number_dot.
  Qed.

  Lemma is_rival_listed p k : is_rival pr p k = true -> In k (rivals pr p).
  Proof.
    intro H. unfold rivals. apply filter_In. split; [| exact H]. apply in_seq.
    unfold is_rival in H. destruct (binary pr).
    - apply Nat.eqb_eq in H. lia.
    - apply andb_true_iff in H as [H%Nat.ltb_lt _]. lia.
  Qed.

  (** A weight vector as [square] reads it. *)
  Definition sized (free : bool) (v : Z * list Z) : list F :=
    if bias pr then (if free then 0 else number (fst v)) :: map number (snd v)
    else map number (snd v).

  Lemma square_sum_ext m :
    forall f g, (forall k, f k = g k) -> square_sum F f m = square_sum F g m.
  Proof.
    induction m as [| m IH]; intros f g H; simpl; [reflexivity |].
    rewrite H, (IH (fun k => f (S k)) (fun k => g (S k))); auto.
  Qed.

  Lemma square_number free (l : list (Z * list Z)) :
    forall m, (length l <= m)%nat ->
      square_sum F (fun k => sized free (nth k l (0%Z, []))) m = number (square free pr l).
  Proof.
    induction l as [| [b w] rest IH]; intros m H.
    - clear H. rewrite (square_sum_ext m _ (fun _ => sized free (0%Z, []))) by now intros [| k].
      simpl square. rewrite number_0.
      induction m as [| m IHm]; simpl; [reflexivity |]. rewrite IHm.
      unfold sized. destruct (bias pr); simpl; [| ring]. destruct free; rewrite ?number_0; ring.
    - simpl in H. destruct m as [| m]; [lia |]. simpl. rewrite IH by lia.
      rewrite !number_plus, number_dot. unfold sized.
      destruct (bias pr); simpl; [destruct free; simpl |]; rewrite ?number_times, ?number_0; ring.
  Qed.

  Lemma size_number free :
    (length ws <= vectors pr)%nat -> size pr W B free = number (square free pr ws).
  Proof.
    intro H. rewrite <- (square_number free ws (vectors pr) H). unfold size. generalize (vectors pr).
    intro m. unfold W, B, sized.
    now apply square_sum_ext.
  Qed.

  (** Theorem: every row is strictly on its side, and leads by (num/den)·pad·‖weights‖ or more. *)
  Theorem separation_sound free skipped num den :
    separation pr free skipped ws num den = true ->
    forall r p, PositiveMap.find r (rows pr) = Some p -> skipped r p = false ->
      right pr W B p /\
      forall k, is_rival pr p k = true ->
        (number num * number (pad pr)) * (number num * number (pad pr)) * size pr W B free
        <= (number den * lead pr W B p k) * (number den * lead pr W B p k).
  Proof.
    unfold separation. rewrite !andb_true_iff.
    intros [[[[Hpad Hnum] Hden] Hlen%Nat.leb_le] H] r p Hp Hs.
    rewrite forallb_forall in H. apply PositiveMap.elements_correct in Hp.
    specialize (H _ Hp). simpl in H. rewrite Hs in H. simpl in H. rewrite forallb_forall in H.
    split; intros k Hk; specialize (H k (is_rival_listed p k Hk)); apply andb_true_iff in H;
      destruct H as [Hg%Z.ltb_lt Hl%Z.leb_le]; rewrite lead_number.
    - now apply number_positive.
    - rewrite size_number by exact Hlen. apply (number_monotone F) in Hl.
      rewrite !number_times in Hl.
      replace (number num * number (pad pr) * (number num * number (pad pr))
               * @number F (square free pr ws))
        with (number num * number num * (number (pad pr) * number (pad pr))
              * @number F (square free pr ws)) by ring.
      replace (number den * @number F (gap pr ws p k) * (number den * number (gap pr ws p k)))
        with (number den * number den * (@number F (gap pr ws p k) * number (gap pr ws p k)))
        by ring.
      exact Hl.
  Qed.

  (** Theorem: no row is on the wrong side, and some row is strictly on its own. *)
  Theorem weak_separation_sound :
    weak_separation pr ws = true ->
    (forall r p, PositiveMap.find r (rows pr) = Some p ->
       forall k, is_rival pr p k = true -> 0 <= lead pr W B p k) /\
    exists r p k, PositiveMap.find r (rows pr) = Some p /\ is_rival pr p k = true /\
                  0 < lead pr W B p k.
  Proof.
    unfold weak_separation. rewrite !andb_true_iff, forallb_forall, existsb_exists.
    intros [[_ H] ([r p] & I & K)]. split.
    - intros r' p' Hp k Hk. apply PositiveMap.elements_correct in Hp.
      specialize (H _ Hp). simpl in H. rewrite forallb_forall in H.
      specialize (H k (is_rival_listed p' k Hk)). apply Z.leb_le in H. rewrite lead_number.
      now apply number_nonnegative.
    - apply existsb_exists in K as (k & Ik & Hk%Z.ltb_lt). exists r, p, k.
      apply PositiveMap.elements_complete in I. unfold rivals in Ik.
      apply filter_In in Ik as [_ Ik]. repeat split; try assumption. rewrite lead_number.
      now apply number_positive.
  Qed.
End Separation.
