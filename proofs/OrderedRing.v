(** Ordered commutative rings: the numbers that weights may be.

    Every theorem about certificates is proved for weights from any such ring, so for rational and
    for real weights alike (Instances.v, Reals.v). No axiom is used. *)

Require Import ZArith List Lia Ring InitialRing.
Import ListNotations.

Record OrderedRing := {
  carrier :> Type;
  zero : carrier;
  one : carrier;
  plus : carrier -> carrier -> carrier;
  times : carrier -> carrier -> carrier;
  minus : carrier -> carrier -> carrier;
  opposite : carrier -> carrier;
  less : carrier -> carrier -> Prop;
  ring_laws : ring_theory zero one plus times minus opposite (@eq carrier);
  less_irreflexive : forall a, ~ less a a;
  less_transitive : forall a b c, less a b -> less b c -> less a c;
  less_total : forall a b, less a b \/ a = b \/ less b a;
  less_plus : forall a b c, less a b -> less (plus c a) (plus c b);
  less_times : forall a b, less zero a -> less zero b -> less zero (times a b);
  less_one : less zero one
}.

Arguments zero {_}. Arguments one {_}. Arguments plus {_}. Arguments times {_}.
Arguments minus {_}. Arguments opposite {_}. Arguments less {_}.

Declare Scope number_scope.
Delimit Scope number_scope with number.
Notation "0" := zero : number_scope.
Notation "1" := one : number_scope.
Infix "+" := plus : number_scope.
Infix "*" := times : number_scope.
Infix "-" := minus : number_scope.
Notation "- a" := (opposite a) : number_scope.
Infix "<" := less : number_scope.
(** At most: less, or equal. *)
Notation "a <= b" := (less a b \/ a = b) : number_scope.

Section Order.
  Variable F : OrderedRing.
  Open Scope number_scope.
  Add Ring F_ring : (ring_laws F).
  Implicit Types a b c d : F.

  Lemma less_as_difference a b : a < b <-> 0 < b - a.
  Proof.
    split; intro H.
    - apply (less_plus _ _ _ (- a)) in H.
      replace (- a + a) with (0 : F) in H by ring. now replace (- a + b) with (b - a) in H by ring.
    - apply (less_plus _ _ _ a) in H.
      replace (a + 0) with a in H by ring. now replace (a + (b - a)) with b in H by ring.
  Qed.

  Lemma plus_positive a b : 0 < a -> 0 < b -> 0 < a + b.
  Proof.
    intros Ha Hb. apply (less_transitive _ _ _ _ Ha). apply less_as_difference.
    now replace (a + b - a) with b by ring.
  Qed.

  Lemma plus_positive_left a b : 0 < a -> 0 <= b -> 0 < a + b.
  Proof.
    intros Ha [Hb | <-]; [now apply plus_positive |]. now replace (a + 0) with a by ring.
  Qed.

  Lemma plus_nonnegative a b : 0 <= a -> 0 <= b -> 0 <= a + b.
  Proof.
    intros [Ha | <-] Hb.
    - left. now apply plus_positive_left.
    - now replace (0 + b) with b by ring.
  Qed.

  Lemma times_nonnegative a b : 0 <= a -> 0 <= b -> 0 <= a * b.
  Proof.
    intros [Ha | <-] [Hb | <-]; [left; now apply less_times | right; ring | right; ring | right; ring].
  Qed.

  Lemma difference a b : a <= b -> 0 <= b - a.
  Proof.
    intros [H | ->]; [left; now apply (proj1 (less_as_difference a b)) | right; ring].
  Qed.

  Lemma by_difference a b : 0 <= b - a -> a <= b.
  Proof.
    intros [H | H]; [left; now apply (proj2 (less_as_difference a b)) | right].
    replace b with (b - a + a) by ring. rewrite <- H. ring.
  Qed.

  Lemma at_most_transitive a b c : a <= b -> b <= c -> a <= c.
  Proof.
    intros H%difference K%difference. apply by_difference.
    replace (c - a) with ((b - a) + (c - b)) by ring. now apply plus_nonnegative.
  Qed.

  Lemma not_both a b : a < b -> b <= a -> False.
  Proof.
    intros H [K | K]; [| subst; now apply less_irreflexive in H].
    exact (less_irreflexive _ _ (less_transitive _ _ _ _ H K)).
  Qed.

  Lemma opposite_positive a : a < 0 -> 0 < - a.
  Proof. intro H. apply less_as_difference in H. now replace (0 - a) with (- a) in H by ring. Qed.

  Lemma square_nonnegative a : 0 <= a * a.
  Proof.
    destruct (less_total _ 0 a) as [H | [<- | H]].
    - left. now apply less_times.
    - right. ring.
    - left. replace (a * a) with ((- a) * (- a)) by ring.
      apply less_times; now apply opposite_positive.
  Qed.

  (** Squares of numbers that are not negative keep their order, both ways. *)
  Lemma square_monotone a b : 0 <= a -> a <= b -> a * a <= b * b.
  Proof.
    intros Ha Hb%difference. apply by_difference.
    replace (b * b - a * a) with ((b - a) * (b - a) + (a + a) * (b - a)) by ring.
    auto using plus_nonnegative, times_nonnegative, square_nonnegative.
  Qed.

  Lemma square_reflects a b : 0 <= b -> a * a <= b * b -> a <= b.
  Proof.
    intros Hb H. destruct (less_total _ a b) as [K | [K | K]]; [now left | now right | exfalso].
    apply less_as_difference in K. apply (not_both (b * b) (a * a)); [| exact H].
    apply less_as_difference.
    replace (a * a - b * b) with ((a - b) * (a - b) + (b * (a - b) + b * (a - b))) by ring.
    apply plus_positive_left; [now apply less_times |].
    assert (0 <= b * (a - b)) by (apply times_nonnegative; [exact Hb | now left]).
    now apply plus_nonnegative.
  Qed.

  Lemma times_cancel a b c : 0 < c -> c * a <= c * b -> a <= b.
  Proof.
    intros Hc H. destruct (less_total _ a b) as [K | [K | K]]; [now left | now right | exfalso].
    apply less_as_difference in K. apply (not_both (c * b) (c * a)); [| exact H].
    apply less_as_difference. replace (c * a - c * b) with (c * (a - b)) by ring.
    now apply less_times.
  Qed.

  Lemma times_monotone a b c : 0 <= c -> a <= b -> c * a <= c * b.
  Proof.
    intros Hc H%difference. apply by_difference.
    replace (c * b - c * a) with (c * (b - a)) by ring. now apply times_nonnegative.
  Qed.

  Lemma plus_monotone a b c d : a <= b -> c <= d -> a + c <= b + d.
  Proof.
    intros H%difference K%difference. apply by_difference.
    replace (b + d - (a + c)) with ((b - a) + (d - c)) by ring. now apply plus_nonnegative.
  Qed.

  (** ** Integers in the ring *)

  Definition number : Z -> F := gen_phiZ zero one plus times opposite.

  Lemma number_morphism :
    ring_morph zero one plus times minus opposite eq
               0%Z 1%Z Z.add Z.mul Z.sub Z.opp Zeq_bool number.
  Proof.
    apply gen_phiZ_morph; [apply Eqsth | apply (Eq_ext plus times opposite) | apply ring_laws].
  Qed.

  Lemma number_0 : number 0 = 0. Proof. apply (morph0 number_morphism). Qed.
  Lemma number_1 : number 1 = 1. Proof. apply (morph1 number_morphism). Qed.
  Lemma number_plus (a b : Z) : number (a + b) = number a + number b.
  Proof. apply (morph_add number_morphism). Qed.
  Lemma number_times (a b : Z) : number (a * b) = number a * number b.
  Proof. apply (morph_mul number_morphism). Qed.
  Lemma number_opposite (a : Z) : number (- a) = - number a.
  Proof. apply (morph_opp number_morphism). Qed.
  Lemma number_minus (a b : Z) : number (a - b) = number a - number b.
  Proof. apply (morph_sub number_morphism). Qed.

  Lemma number_positive (a : Z) : (0 < a)%Z -> 0 < number a.
  Proof.
    intro H. rewrite <- (Z2Nat.id a) in * by lia. assert (K : (0 < Z.to_nat a)%nat) by lia.
    clear H. destruct (Z.to_nat a) as [| n]; [lia | clear K].
    induction n as [| n IH].
    - change (Z.of_nat 1) with 1%Z. rewrite number_1. apply less_one.
    - rewrite Nat2Z.inj_succ. unfold Z.succ. rewrite number_plus, number_1.
      apply plus_positive; [exact IH | apply less_one].
  Qed.

  Lemma number_nonnegative (a : Z) : (0 <= a)%Z -> 0 <= number a.
  Proof.
    intro H. destruct (Z.eq_dec a 0) as [-> | K]; [right; symmetry; apply number_0 |].
    left. apply number_positive. lia.
  Qed.

  Lemma number_monotone (a b : Z) : (a <= b)%Z -> number a <= number b.
  Proof.
    intro H. apply by_difference. rewrite <- number_minus. apply number_nonnegative. lia.
  Qed.

  (** ** Vectors; where one is shorter, it goes on with zeros *)

  Fixpoint dot (v w : list F) : F :=
    match v, w with
    | x :: v', y :: w' => x * y + dot v' w'
    | _, _ => 0
    end.

  Fixpoint sum (v w : list F) : list F :=
    match v, w with
    | [], _ => w
    | _, [] => v
    | x :: v', y :: w' => (x + y) :: sum v' w'
    end.

  Definition scaled (c : F) (v : list F) : list F := map (times c) v.

  Lemma dot_nil v : dot v [] = 0.
  Proof. now destruct v. Qed.

  Lemma dot_commutes v : forall w, dot v w = dot w v.
  Proof.
    induction v as [| x v IH]; intros [| y w]; simpl; try reflexivity. rewrite IH. ring.
  Qed.

  Lemma dot_sum u : forall v w, dot u (sum v w) = dot u v + dot u w.
  Proof.
    induction u as [| z u IH]; intros v w; simpl; [ring |].
    destruct v as [| x v], w as [| y w]; simpl; try ring. rewrite IH. ring.
  Qed.

  Lemma dot_scaled c u : forall v, dot u (scaled c v) = c * dot u v.
  Proof.
    induction u as [| z u IH]; intros [| x v]; simpl; try ring.
    fold (scaled c v). rewrite IH. ring.
  Qed.

  Lemma dot_nonnegative v : 0 <= dot v v.
  Proof.
    induction v as [| x v IH]; simpl; [now right |].
    apply plus_nonnegative; [apply square_nonnegative | exact IH].
  Qed.

  (** ** Cauchy and Schwarz *)

  (** One step: what holds of two sums of squares and of two more holds of all. *)
  Lemma cauchy_schwarz_step (S A B t a b : F) :
    0 <= A -> 0 <= B -> 0 <= a -> 0 <= b -> S * S <= A * B -> t * t <= a * b ->
    (S + t) * (S + t) <= (A + a) * (B + b).
  Proof.
    intros HA HB Ha Hb HS Ht.
    assert (K : S * t + S * t <= A * b + a * B).
    { apply square_reflects; [auto using plus_nonnegative, times_nonnegative |].
      apply by_difference.
      replace ((A * b + a * B) * (A * b + a * B) - (S * t + S * t) * (S * t + S * t))
        with ((A * b - a * B) * (A * b - a * B)
              + ((1 + 1 + 1 + 1)
                 * ((A * B - S * S) * (a * b) + (S * S) * (a * b - t * t)))) by ring.
      apply difference in HS, Ht. assert (H1 : 0 <= (1 : F)) by (left; apply less_one).
      repeat (apply square_nonnegative || apply plus_nonnegative || apply times_nonnegative);
        assumption. }
    apply difference in HS, Ht, K. apply by_difference.
    replace ((A + a) * (B + b) - (S + t) * (S + t))
      with ((A * B - S * S) + ((a * b - t * t) + ((A * b + a * B) - (S * t + S * t)))) by ring.
    auto using plus_nonnegative.
  Qed.

  Theorem cauchy_schwarz v : forall w, dot v w * dot v w <= dot v v * dot w w.
  Proof.
    induction v as [| x v IH]; intros [| y w]; simpl; try (right; ring).
    replace (x * y + dot v w) with (dot v w + x * y) by ring.
    replace (x * x + dot v v) with (dot v v + x * x) by ring.
    replace (y * y + dot w w) with (dot w w + y * y) by ring.
    apply cauchy_schwarz_step; auto using dot_nonnegative, square_nonnegative.
    right. ring.
  Qed.
End Order.

Arguments number {F} : simpl never. Arguments dot {F}. Arguments sum {F}. Arguments scaled {F}.
