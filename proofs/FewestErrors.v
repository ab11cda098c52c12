(** An accepted lower end of the fewest errors: no weights cost less. *)

Require Import ZArith List Bool Lia FMapPositive.
From Proofs Require Import OrderedRing Checker Sound Separation.
Import ListNotations.
Open Scope Z_scope.

Arguments Z.mul : simpl never. Arguments Z.add : simpl never. Arguments Z.sub : simpl never.
Arguments Z.leb : simpl never. Arguments Z.ltb : simpl never.

Section Errors.
  Variable F : OrderedRing.
  Variable pr : problem.
  Variable W : nat -> list F.
  Variable B : nat -> F.

  (** Any set of rows outside of which these weights are right: their errors, or more. *)
  Variable E : positive -> bool.
  Hypothesis right_outside :
    forall r p, PositiveMap.find r (rows pr) = Some p -> E r = false -> right pr W B p.

  (** An inseparable subset has a row of the data among the errors. *)
  Definition hit (rs : list positive) : Prop :=
    exists r p, In r rs /\ E r = true /\ PositiveMap.find r (rows pr) = Some p.

  Lemma inseparability_hit terms : inseparability pr terms = true -> hit (ids terms).
  Proof.
    intro H. destruct (existsb E (ids terms)) eqn:He.
    - apply existsb_exists in He as (r & Ir & Er).
      destruct (inseparability_unfold F pr W B terms H) as (_ & _ & Ht).
      unfold ids in Ir. apply in_map_iff in Ir as ([[r' k] a] & <- & I).
      destruct (Ht r' k a I) as (p & Hp & _). exists r', p. repeat split; try assumption.
      unfold ids. now apply (in_map (fun '(r, _, _) => r) terms (r', k, a)).
    - exfalso. apply (inseparability_of_cited F pr W B terms H). intros r p Ir Hp.
      apply (right_outside r p Hp). destruct (E r) eqn:Er; [| reflexivity].
      assert (existsb E (ids terms) = true) by (apply existsb_exists; eauto). congruence.
  Qed.

  Lemma conflicts_hit subsets j rs :
    PositiveMap.find j (conflicts pr subsets) = Some rs -> hit rs.
  Proof.
    unfold conflicts.
    assert (K : forall found : PositiveMap.t (list positive),
      (forall j rs, PositiveMap.find j found = Some rs -> hit rs) ->
      forall j rs,
        PositiveMap.find j
          (fold_left (fun found '(j, terms) =>
             if inseparability pr terms then PositiveMap.add j (nodup Pos.eq_dec (ids terms)) found
             else found) subsets found) = Some rs -> hit rs).
    { clear j rs. induction subsets as [| [i terms] rest IH]; intros found H; simpl; [exact H |].
      apply IH. intros j rs. destruct (inseparability pr terms) eqn:Hi; [| apply H].
      destruct (Pos.eq_dec j i) as [-> | n].
      - rewrite PositiveMap.gss. intro Hs. injection Hs as <-.
        destruct (inseparability_hit terms Hi) as (r & p & I & Er & Hp).
        exists r, p. repeat split; try assumption. now apply nodup_In.
      - rewrite PositiveMap.gso by exact n. apply H. }
    apply K. intros i s Hs. now rewrite PositiveMap.gempty in Hs.
  Qed.

  (** What is left of the budgets of the errors among some rows. *)
  Definition unspent (l : list (positive * row)) (budget : PositiveMap.t Z) : Z :=
    fold_right (fun '(r, _) s => (if E r then left_of budget r else 0) + s) 0 l.

  Definition take (amount : Z) (r : positive) (budget : PositiveMap.t Z) : PositiveMap.t Z :=
    PositiveMap.add r (left_of budget r - amount) budget.

  Lemma left_of_take amount r budget s :
    left_of (take amount r budget) s
    = left_of budget s - (if Pos.eq_dec s r then amount else 0).
  Proof.
    unfold take. unfold left_of at 1. destruct (Pos.eq_dec s r) as [-> | n].
    - now rewrite PositiveMap.gss.
    - rewrite PositiveMap.gso by exact n. unfold left_of. lia.
  Qed.

  Lemma take_at_most amount r budget l :
    0 <= amount -> unspent l (take amount r budget) <= unspent l budget.
  Proof.
    intro Ha. induction l as [| [s p] l IH]; simpl; [lia |].
    rewrite left_of_take. destruct (E s); [| lia]. destruct (Pos.eq_dec s r); lia.
  Qed.

  Lemma take_hits amount r p budget l :
    0 <= amount -> E r = true -> In (r, p) l ->
    unspent l (take amount r budget) + amount <= unspent l budget.
  Proof.
    intros Ha Er. induction l as [| [s q] l IH]; simpl; [contradiction |].
    intros [I | I].
    - injection I as -> ->. rewrite left_of_take, Er.
      pose proof (take_at_most amount r budget l Ha). destruct (Pos.eq_dec r r); [lia | congruence].
    - specialize (IH I). rewrite left_of_take. destruct (E s); [| lia].
      destruct (Pos.eq_dec s r); lia.
  Qed.

  Lemma charge_at_most amount rs l :
    0 <= amount -> forall budget, unspent l (charge amount rs budget) <= unspent l budget.
  Proof.
    intro Ha. induction rs as [| r rs IH]; intro budget; simpl; [lia |].
    specialize (IH (take amount r budget)). pose proof (take_at_most amount r budget l Ha).
    unfold charge in *. unfold take in *. lia.
  Qed.

  Lemma charge_hits amount rs :
    0 <= amount -> hit rs ->
    forall budget,
      unspent (PositiveMap.elements (rows pr)) (charge amount rs budget) + amount
      <= unspent (PositiveMap.elements (rows pr)) budget.
  Proof.
    intros Ha (r & p & I & Er & Hp%PositiveMap.elements_correct).
    set (l := PositiveMap.elements (rows pr)) in *.
    induction rs as [| s rs IH]; intro budget; simpl in I; [contradiction |].
    change (charge amount (s :: rs) budget) with (charge amount rs (take amount s budget)).
    destruct I as [-> | I].
    - pose proof (charge_at_most amount rs l Ha (take amount r budget)).
      pose proof (take_hits amount r p budget l Ha Er Hp). lia.
    - specialize (IH I (take amount s budget)). pose proof (take_at_most amount s budget l Ha). lia.
  Qed.

  Notation all := (PositiveMap.elements (rows pr)).

  Lemma charge_removed_hits den removed :
    (forall r, In r removed -> E r = true) ->
    forall charged budget charged' budget',
      charge_removed pr den removed charged budget = Some (charged', budget') ->
      unspent all budget' + charged' <= unspent all budget + charged.
  Proof.
    induction removed as [| r rest IH]; intros HE charged budget charged' budget' H; cbn in H.
    - injection H as <- <-. lia.
    - destruct (PositiveMap.find r (rows pr)) as [p |] eqn:Hp; [| discriminate].
      destruct (0 <=? den * cost p) eqn:Hc; [| discriminate]. apply Z.leb_le in Hc.
      apply IH in H; [| intros; apply HE; now right].
      assert (Hh : hit [r]) by (exists r, p; repeat split; [now left | apply HE; now left | exact Hp]).
      pose proof (charge_hits _ _ Hc Hh budget) as K. unfold charge in K. cbn in K. lia.
  Qed.

  Lemma charge_subsets_hits known multipliers :
    (forall j rs, PositiveMap.find j known = Some rs -> hit rs) ->
    forall charged budget charged' budget',
      charge_subsets known multipliers charged budget = Some (charged', budget') ->
      unspent all budget' + charged' <= unspent all budget + charged.
  Proof.
    intro Hk. induction multipliers as [| [j m] rest IH];
      intros charged budget charged' budget' H; cbn [charge_subsets] in H.
    - injection H as <- <-. lia.
    - destruct (PositiveMap.find j known) as [rs |] eqn:Hj; [| discriminate].
      destruct (0 <=? m) eqn:Hm; [| discriminate]. apply Z.leb_le in Hm.
      apply IH in H. pose proof (charge_hits m rs Hm (Hk j rs Hj) budget). lia.
  Qed.

  Lemma unspent_at_first den l :
    (forall r p, In (r, p) l -> PositiveMap.find r (rows pr) = Some p) ->
    unspent l (PositiveMap.map (fun p => den * cost p) (rows pr))
    = den * fold_right (fun '(r, p) s => (if E r then cost p else 0) + s) 0 l.
  Proof.
    induction l as [| [r p] l IH]; intro H; simpl; [lia |].
    rewrite IH by (intros; apply H; now right).
    unfold left_of. unfold PositiveMap.map. rewrite PositiveMap.gmapi.
    rewrite (H r p (or_introl eq_refl)). simpl. destruct (E r); lia.
  Qed.

  Lemma unspent_nonnegative (kept : PositiveMap.t unit) budget l :
    (forall r, PositiveMap.mem r kept = true -> E r = false) ->
    forallb (fun '(r, _) => PositiveMap.mem r kept || (0 <=? left_of budget r)) l = true ->
    0 <= unspent l budget.
  Proof.
    intro Hk. induction l as [| [r p] l IH]; intro H; simpl in *; [lia |].
    apply andb_true_iff in H as [H K]. specialize (IH K).
    apply orb_true_iff in H as [H | H].
    - rewrite (Hk r H). lia.
    - apply Z.leb_le in H. destruct (E r); lia.
  Qed.

  Lemma bounds_sound known lower tree :
    (forall j rs, PositiveMap.find j known = Some rs -> hit rs) ->
    forall removed kept,
      bounds pr known lower tree removed kept = true ->
      (forall r, In r removed -> E r = true) ->
      (forall r, PositiveMap.mem r kept = true -> E r = false) ->
      lower <= cost_of pr E.
  Proof.
    intro Hk.
    induction tree as [den multipliers | j | r a IHa b IHb]; intros removed kept H HD HK;
      cbn [bounds] in H.
    - apply andb_true_iff in H as [Hden%Z.ltb_lt H].
      destruct (charge_removed _ _ _ _ _) as [[charged budget] |] eqn:Hr; [| discriminate].
      destruct (charge_subsets _ _ _ _) as [[charged' budget'] |] eqn:Hs; [| discriminate].
      apply andb_true_iff in H as [Hl%Z.ltb_lt Hn].
      apply charge_removed_hits in Hr; [| exact HD].
      apply charge_subsets_hits in Hs; [| exact Hk].
      apply (unspent_nonnegative kept) in Hn; [| exact HK].
      rewrite unspent_at_first in Hr by apply PositiveMap.elements_complete.
      fold (cost_of pr E) in Hr. nia.
    - exfalso. destruct (PositiveMap.find j known) as [rs |] eqn:Hj; [| discriminate].
      destruct (Hk j rs Hj) as (r & p & I & Er & _). rewrite forallb_forall in H.
      specialize (H r I). apply HK in H. congruence.
    - apply andb_true_iff in H as [Ha Hb]. destruct (E r) eqn:Er.
      + apply (IHa _ _ Ha); [| exact HK]. intros s [<- | I]; [exact Er | now apply HD].
      + apply (IHb _ _ Hb HD). intros s Hs. destruct (Pos.eq_dec s r) as [-> | n]; [exact Er |].
        apply HK. revert Hs. rewrite !PositiveMap.mem_find, PositiveMap.gso by exact n. auto.
  Qed.
End Errors.

(** Theorem: whatever the weights, and whatever set of rows they are right outside of, that set
    costs at least [lower]: no hyperplane makes fewer errors. *)
Theorem fewest_lower_sound (F : OrderedRing) pr subsets tree lower :
  fewest_lower pr subsets tree lower = true ->
  forall (W : nat -> list F) (B : nat -> F) (E : positive -> bool),
    (forall r p, PositiveMap.find r (rows pr) = Some p -> E r = false -> right pr W B p) ->
    lower <= cost_of pr E.
Proof.
  unfold fewest_lower. intros [_ H]%andb_true_iff W B E R.
  apply (bounds_sound pr E) in H; [exact H | | contradiction |].
  - intros j rs. apply (conflicts_hit F pr W B E R).
  - intros r. rewrite PositiveMap.mem_find, PositiveMap.gempty. discriminate.
Qed.

(** Theorem: the certificate's weights are right on every row of positive cost but the removed,
    which cost [upper]. *)
Theorem fewest_upper_sound (F : OrderedRing) pr removed ws upper :
  fewest_upper pr removed ws upper = true ->
  cost_of pr (fun r => PositiveMap.mem r removed) = upper /\
  forall r p, PositiveMap.find r (rows pr) = Some p ->
    PositiveMap.mem r removed = false -> cost p <> 0 ->
    right (F := F) pr (Separation.W F ws) (Separation.B F ws) p.
Proof.
  unfold fewest_upper. rewrite andb_true_iff. intros [H K%Z.eqb_eq]. split; [exact K |].
  intros r p Hp Hr Hc. apply (separation_sound F) with (r := r) (p := p) in H;
    [now destruct H | exact Hp |].
  rewrite Hr. simpl. apply Z.eqb_neq. congruence.
Qed.

(** Theorem: no weights are right on a removed row and on all rows that are not removed. *)
Theorem irreducible_sound (F : OrderedRing) pr removed r terms :
  irreducible pr removed r terms = true ->
  forall (W : nat -> list F) (B : nat -> F),
    ~ (forall s p, PositiveMap.find s (rows pr) = Some p ->
         s = r \/ PositiveMap.mem s removed = false -> right pr W B p).
Proof.
  unfold irreducible. rewrite !andb_true_iff. intros [[H _] K] W B R.
  apply (inseparability_of_cited F pr W B terms H). intros s p I Hp. apply (R s p Hp).
  rewrite forallb_forall in K. specialize (K s I). apply orb_true_iff in K as [K | K].
  - left. now apply Pos.eqb_eq.
  - right. now apply negb_true_iff.
Qed.
