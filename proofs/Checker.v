(** The checker: a program over integers. What it accepts is proved in Sound.v.

    A row of the data is (x, class, cost) with x = values / pad: all rows are scaled by one common
    positive integer, [pad], so that they are integers; the coordinate of the bias is then [pad]
    instead of 1. *)

Require Import ZArith List Bool FMapPositive.
Import ListNotations.
Open Scope Z_scope.

Record row := Row { label : nat; cost : Z; values : list Z }.

Record problem := Problem {
  classes : nat;
  bias : bool;
  pad : Z;
  rows : PositiveMap.t row
}.

(** ** Vectors of integers; where one is shorter, it goes on with zeros *)

Fixpoint zsum (v w : list Z) : list Z :=
  match v, w with
  | [], _ => w
  | _, [] => v
  | x :: v', y :: w' => (x + y) :: zsum v' w'
  end.

Definition zscaled (c : Z) (v : list Z) : list Z := map (Z.mul c) v.

Fixpoint zdot (v w : list Z) : Z :=
  match v, w with
  | x :: v', y :: w' => x * y + zdot v' w'
  | _, _ => 0
  end.

Definition zeros (v : list Z) : bool := forallb (Z.eqb 0) v.

(** ** What a row requires *)

Definition binary (pr : problem) : bool := Nat.leb (classes pr) 2.

(** Of one or two classes the last is the positive one. *)
Definition positive_side (pr : problem) (p : row) : bool := Nat.eqb (S (label p)) (classes pr).

Definition padded (pr : problem) (x : list Z) : list Z := if bias pr then pad pr :: x else x.

(** The classes that a row's own must beat; with one hyperplane there is one requirement, "0". *)
Definition is_rival (pr : problem) (p : row) (k : nat) : bool :=
  if binary pr then Nat.eqb k 0
  else Nat.ltb k (classes pr) && negb (Nat.eqb k (label p)).

Definition rivals (pr : problem) (p : row) : list nat :=
  filter (is_rival pr p) (seq 0 (if binary pr then 1 else classes pr)).

(** ** Separations *)

(** For each weight vector its bias and its weights. *)
Definition weights := list (Z * list Z).

Definition vector (pr : problem) (ws : weights) (k : nat) : list Z :=
  let '(b, w) := nth k ws (0, []) in if bias pr then b :: w else w.

Definition vectors (pr : problem) : nat := if binary pr then 1%nat else classes pr.

(** ‖weights‖², of [free] bias without the biases. *)
Fixpoint square (free : bool) (pr : problem) (ws : weights) : Z :=
  match ws with
  | [] => 0
  | (b, w) :: rest => (if bias pr && negb free then b * b else 0) + zdot w w + square free pr rest
  end.

(** How far the row is on its side: the number that requirement [k] wants positive. *)
Definition gap (pr : problem) (ws : weights) (p : row) (k : nat) : Z :=
  let x := padded pr (values p) in
  if binary pr then
    let s := zdot (vector pr ws 0) x in if positive_side pr p then s else - s
  else zdot (vector pr ws (label p)) x - zdot (vector pr ws k) x.

(** Every row that is not [skipped] is on its side, and with the margin num/den or more. *)
Definition separation (pr : problem) (free : bool) (skipped : positive -> row -> bool)
    (ws : weights) (num den : Z) : bool :=
  let least := num * num * (pad pr * pad pr) * square free pr ws in
  (0 <? pad pr) && (0 <=? num) && (0 <? den) && Nat.leb (length ws) (vectors pr) &&
  forallb
    (fun '(r, p) =>
       skipped r p ||
       forallb (fun k => let g := gap pr ws p k in (0 <? g) && (least <=? den * den * (g * g)))
               (rivals pr p))
    (PositiveMap.elements (rows pr)).

(** No row is on the wrong side, and not all on the boundary. *)
Definition weak_separation (pr : problem) (ws : weights) : bool :=
  let all := PositiveMap.elements (rows pr) in
  (0 <? pad pr) &&
  forallb (fun '(_, p) => forallb (fun k => 0 <=? gap pr ws p k) (rivals pr p)) all &&
  existsb (fun '(_, p) => existsb (fun k => 0 <? gap pr ws p k) (rivals pr p)) all.

(** ** Rows that cancel *)

(** Row, requirement and positive factor. *)
Definition term := (positive * nat * Z)%type.

(** Add a vector to block [k]. *)
Fixpoint add_to (k : nat) (v : list Z) (blocks : list (list Z)) : list (list Z) :=
  match k, blocks with
  | O, [] => [v]
  | O, b :: rest => zsum b v :: rest
  | S k', [] => [] :: add_to k' v []
  | S k', b :: rest => b :: add_to k' v rest
  end.

(** Aᵀα, one block for each weight vector; None where a term names no requirement of the data. *)
Fixpoint combined (pr : problem) (terms : list term) (blocks : list (list Z))
    : option (list (list Z)) :=
  match terms with
  | [] => Some blocks
  | (r, k, a) :: rest =>
      match PositiveMap.find r (rows pr) with
      | None => None
      | Some p =>
          if (0 <? a) && is_rival pr p k then
            let x := padded pr (values p) in
            combined pr rest
              (if binary pr then add_to 0 (zscaled (if positive_side pr p then a else - a) x) blocks
               else add_to (label p) (zscaled a x) (add_to k (zscaled (- a) x) blocks))
          else None
      end
  end.

Definition inseparability (pr : problem) (terms : list term) : bool :=
  match terms with
  | [] => false
  | _ => (0 <? pad pr) &&
         match combined pr terms [] with
         | None => false
         | Some blocks => forallb zeros blocks
         end
  end.

Definition total (terms : list term) : Z := fold_right (fun '(_, _, a) s => a + s) 0 terms.

Definition square_of (blocks : list (list Z)) : Z := fold_right (fun b s => zdot b b + s) 0 blocks.

(** No weights have a margin above num/den: ‖Aᵀα‖ / Σα ≤ num/den. With a [free] bias the factors
    of both sides must add up to the same. *)
Definition margin_bound (pr : problem) (free : bool) (terms : list term) (num den : Z) : bool :=
  match terms with
  | [] => false
  | _ => (0 <? pad pr) && (0 <=? num) && (0 <? den) &&
         match combined pr terms [] with
         | None => false
         | Some blocks =>
             Nat.leb (length blocks) (vectors pr) &&
             (negb (free && bias pr) || forallb (fun b => Z.eqb 0 (hd 0 b)) blocks) &&
             (den * den * square_of blocks
              <=? num * num * (pad pr * pad pr) * (total terms * total terms))
         end
  end.

(** ** Overlap: the rows that cancel span all rows *)

Definition echelon := list (nat * list Z).

Definition at_ (i : nat) (v : list Z) : Z := nth i v 0.

(** Divide by the greatest common divisor; the division is checked, not trusted. *)
Definition shortened (v : list Z) : list Z :=
  let g := fold_right Z.gcd 0 v in
  let v' := map (fun x => x / g) v in
  if negb (Z.eqb 0 g) && forallb (fun '(x, y) => Z.eqb (g * x) y) (combine v' v)
     && Nat.eqb (length v') (length v)
  then v' else v.

Definition eliminate (v : list Z) (pivot : nat * list Z) : list Z :=
  let '(i, e) := pivot in
  if Z.eqb 0 (at_ i v) || Z.eqb 0 (at_ i e) then v
  else shortened (zsum (zscaled (at_ i e) v) (zscaled (- at_ i v) e)).

Definition reduced (basis : echelon) (v : list Z) : list Z := fold_left eliminate basis v.

Fixpoint first_nonzero (i : nat) (v : list Z) : option nat :=
  match v with
  | [] => None
  | x :: v' => if Z.eqb 0 x then first_nonzero (S i) v' else Some i
  end.

Definition with_row (basis : echelon) (v : list Z) : echelon :=
  let v' := reduced basis v in
  match first_nonzero 0 v' with
  | None => basis
  | Some i => basis ++ [(i, v')]
  end.

Fixpoint cited (pr : problem) (terms : list term) : list (list Z) :=
  match terms with
  | [] => []
  | (r, _, _) :: rest =>
      match PositiveMap.find r (rows pr) with
      | None => cited pr rest
      | Some p => padded pr (values p) :: cited pr rest
      end
  end.

Definition overlap (pr : problem) (terms : list term) : bool :=
  binary pr && inseparability pr terms &&
  (let basis := fold_left with_row (cited pr terms) [] in
   forallb (fun '(_, p) => zeros (reduced basis (padded pr (values p))))
           (PositiveMap.elements (rows pr))).

(** ** Fewest errors *)

Inductive node :=
  | Multipliers (den : Z) (multipliers : list (positive * Z))
  | Impossible (subset : positive)
  | Branch (r : positive) (removed kept : node).

Definition ids (terms : list term) : list positive := map (fun '(r, _, _) => r) terms.

(** The rows of each subset that is inseparable, every row once. *)
Definition conflicts (pr : problem) (subsets : list (positive * list term))
    : PositiveMap.t (list positive) :=
  fold_left
    (fun found '(j, terms) =>
       if inseparability pr terms then PositiveMap.add j (nodup Pos.eq_dec (ids terms)) found
       else found)
    subsets (PositiveMap.empty _).

Definition left_of (budget : PositiveMap.t Z) (r : positive) : Z :=
  match PositiveMap.find r budget with Some v => v | None => 0 end.

(** Take an amount from the budget of each row. *)
Definition charge (amount : Z) (rs : list positive) (budget : PositiveMap.t Z) : PositiveMap.t Z :=
  fold_left (fun m r => PositiveMap.add r (left_of m r - amount) m) rs budget.

(** Charge each removed row its cost; the sum charged, and what is left. *)
Fixpoint charge_removed (pr : problem) (den : Z) (removed : list positive)
    (charged : Z) (budget : PositiveMap.t Z) : option (Z * PositiveMap.t Z) :=
  match removed with
  | [] => Some (charged, budget)
  | r :: rest =>
      match PositiveMap.find r (rows pr) with
      | None => None
      | Some p =>
          let c := den * cost p in
          if 0 <=? c then charge_removed pr den rest (charged + c) (charge c [r] budget) else None
      end
  end.

(** Charge the rows of each subset its multiplier. *)
Fixpoint charge_subsets (known : PositiveMap.t (list positive)) (multipliers : list (positive * Z))
    (charged : Z) (budget : PositiveMap.t Z) : option (Z * PositiveMap.t Z) :=
  match multipliers with
  | [] => Some (charged, budget)
  | (j, m) :: rest =>
      match PositiveMap.find j known with
      | None => None
      | Some rs =>
          if 0 <=? m then charge_subsets known rest (charged + m) (charge m rs budget) else None
      end
  end.

(** Weights that are wrong on the rows [removed] and right on those [kept] cost at least [lower]. *)
Fixpoint bounds (pr : problem) (known : PositiveMap.t (list positive)) (lower : Z) (tree : node)
    (removed : list positive) (kept : PositiveMap.t unit) : bool :=
  match tree with
  | Branch r a b =>
      bounds pr known lower a (r :: removed) kept &&
      bounds pr known lower b removed (PositiveMap.add r tt kept)
  | Impossible j =>
      match PositiveMap.find j known with
      | None => false
      | Some rs => forallb (fun r => PositiveMap.mem r kept) rs
      end
  | Multipliers den multipliers =>
      (0 <? den) &&
      match charge_removed pr den removed 0 (PositiveMap.map (fun p => den * cost p) (rows pr)) with
      | None => false
      | Some (charged, budget) =>
          match charge_subsets known multipliers charged budget with
          | None => false
          | Some (all, unspent) =>
              ((lower - 1) * den <? all) &&
              forallb (fun '(r, _) => PositiveMap.mem r kept || (0 <=? left_of unspent r))
                      (PositiveMap.elements (rows pr))
          end
      end
  end.

(** No weights cost less than [lower]. *)
Definition fewest_lower (pr : problem) (subsets : list (positive * list term)) (tree : node)
    (lower : Z) : bool :=
  (0 <? pad pr) &&
  bounds pr (conflicts pr subsets) lower tree [] (PositiveMap.empty _).

(** What the rows of a set cost. *)
Definition cost_of (pr : problem) (E : positive -> bool) : Z :=
  fold_right (fun '(r, p) s => (if E r then cost p else 0) + s) 0 (PositiveMap.elements (rows pr)).

(** The weights are wrong only on the rows [removed], which cost [upper]. *)
Definition fewest_upper (pr : problem) (removed : PositiveMap.t unit) (ws : weights) (upper : Z)
    : bool :=
  separation pr false (fun r p => PositiveMap.mem r removed || (0 =? cost p)) ws 0 1 &&
  (cost_of pr (fun r => PositiveMap.mem r removed) =? upper).

(** Row [r] cannot be put back: with rows that are not removed it is inseparable. *)
Definition irreducible (pr : problem) (removed : PositiveMap.t unit) (r : positive)
    (terms : list term) : bool :=
  inseparability pr terms && existsb (Pos.eqb r) (ids terms) &&
  forallb (fun s => Pos.eqb s r || negb (PositiveMap.mem s removed)) (ids terms).
