(* Reads problems as proofs/export.py writes them, and asks the proved checker about each.

   All of this file is trusted: it must hand the checker the numbers that stand in the text.
   Words are separated by white space; integers are decimal, or hexadecimal after 0x. *)

module Integer = Z
open Checker

exception Malformed of string

let text =
  let buffer = Buffer.create (1 lsl 20) and block = Bytes.create (1 lsl 16) in
  let rec read () =
    let count = input stdin block 0 (Bytes.length block) in
    if count > 0 then (Buffer.add_subbytes buffer block 0 count; read ())
  in
  read ();
  Buffer.contents buffer

let position = ref 0
let blank c = c = ' ' || c = '\n'

let rec skip () =
  if !position < String.length text && blank text.[!position] then (incr position; skip ())

let word () =
  skip ();
  let start = !position in
  while !position < String.length text && not (blank text.[!position]) do incr position done;
  if !position = start then raise (Malformed "the text ends too early");
  String.sub text start (!position - start)

let expect name =
  let found = word () in
  if found <> name then raise (Malformed (Printf.sprintf "expected %s, found %s" name found))

let integer () =
  let found = word () in
  try Integer.of_string found with Invalid_argument _ -> raise (Malformed (found ^ " is no integer"))

let positive () =
  let found = integer () in
  if Integer.sign found <= 0 then raise (Malformed (Integer.to_string found ^ " is not positive")) else found

let count () =
  let found = integer () in
  if Integer.sign found < 0 || not (Integer.fits_int found) then
    raise (Malformed (Integer.to_string found ^ " is no count"))
  else Integer.to_int found

let nat () =
  let rec of_int n made = if n = 0 then made else of_int (n - 1) (S made) in
  of_int (count ()) O

let flag () =
  match word () with
  | "yes" -> true
  | "no" -> false
  | other -> raise (Malformed (other ^ " is neither yes nor no"))

(* As many as the number that stands first, in their order. *)
let several read =
  let rec more left made = if left = 0 then List.rev made else more (left - 1) (read () :: made) in
  let n = count () in
  more n []

let pair first second =
  let a = first () in
  let b = second () in
  (a, b)

let read_row () =
  let label = nat () in
  let cost = integer () in
  { label; cost; values = several integer }

let read_problem () =
  expect "classes";
  let classes = nat () in
  expect "bias";
  let bias = flag () in
  expect "pad";
  let pad = integer () in
  expect "rows";
  let number = ref Integer.zero in
  let add table row =
    number := Integer.succ !number;
    PositiveMap.add !number row table
  in
  let rows = List.fold_left add PositiveMap.empty (several read_row) in
  { classes; bias; pad; rows }

let read_weights () = several (fun () -> pair integer (fun () -> several integer))

let read_terms () =
  several (fun () ->
      let row = positive () in
      let rival = nat () in
      let factor = integer () in
      ((row, rival), factor))

let read_ids () =
  List.fold_left (fun set r -> PositiveMap.add r () set) PositiveMap.empty (several positive)

let read_subsets () =
  let number = ref Integer.zero in
  several (fun () ->
      number := Integer.succ !number;
      let j = !number in
      (j, read_terms ()))

let rec read_tree () =
  match word () with
  | "multipliers" ->
      let den = integer () in
      Multipliers (den, several (fun () -> pair positive integer))
  | "impossible" -> Impossible (positive ())
  | "branch" ->
      let row = positive () in
      let removed = read_tree () in
      let kept = read_tree () in
      Branch (row, removed, kept)
  | other -> raise (Malformed (other ^ " is no node"))

let nothing_skipped _ _ = false

let read_claim problem =
  match word () with
  | "separation" ->
      let free = flag () in
      let num = integer () in
      let den = integer () in
      separation problem free nothing_skipped (read_weights ()) num den
  | "weak-separation" -> weak_separation problem (read_weights ())
  | "inseparability" -> inseparability problem (read_terms ())
  | "overlap" -> overlap problem (read_terms ())
  | "margin-bound" ->
      let free = flag () in
      let num = integer () in
      let den = integer () in
      margin_bound problem free (read_terms ()) num den
  | "fewest-errors" ->
      let lower = integer () in
      let upper = integer () in
      let removed = read_ids () in
      let weights = read_weights () in
      let subsets = read_subsets () in
      let witnesses = several (fun () -> pair positive positive) in
      let tree = read_tree () in
      let irreducible_by (row, j) =
        match List.assoc_opt j subsets with
        | None -> false
        | Some terms -> irreducible problem removed row terms
      in
      Integer.leq lower upper
      && fewest_lower problem subsets tree lower
      && fewest_upper problem removed weights upper
      && List.for_all irreducible_by witnesses
  | other -> raise (Malformed (other ^ " is no kind of claim"))

(* All claims are read, whether or not an earlier one was refused. *)
let read_claims problem =
  List.for_all (fun claim -> claim) (several (fun () -> read_claim problem))

let () =
  try
    let all = ref true in
    skip ();
    while !position < String.length text do
      expect "check";
      let name = word () in
      let problem = read_problem () in
      expect "claims";
      let proved = read_claims problem in
      expect "end";
      all := !all && proved;
      Printf.printf "%s %s\n%!" name (if proved then "proved" else "refused");
      skip ()
    done;
    exit (if !all then 0 else 1)
  with Malformed message ->
    prerr_endline ("malformed: " ^ message);
    exit 2
