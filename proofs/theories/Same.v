(** A component that does what an earlier one does, under other names: maps of
    nodes and global states, there and back, that keep everything. *)

From Coq Require Import List PArith Bool Permutation.
From Proved Require Import Sets Model LinearSet Normal Answers.
Import ListNotations.

Record renaming := Renaming { of_nodes : PM.t id; of_globals : PM.t id }.

Definition renamed (m : PM.t id) (x : id) : id := match PM.find x m with Some y => y | None => x end.
Definition rename (r : renaming) (p : point) : point := (renamed (of_nodes r) (fst p), renamed (of_globals r) (snd p)).

Definition kind_eqb (j k : kind) : bool := match j, k with Initial, Initial => true | Inner, Inner => true | Done, Done => true | _, _ => false end.

(** What one form does the other does under other names. *)
Definition check_renaming (f f' : form) (r : renaming) : bool :=
  let there := sset_of (fsteps f') in
  Pos.eqb (renamed (of_globals r) (first f)) (first f') &&                                  (* same.initial *)
  forallb (fun e => kind_eqb (snd e) (kind_of f' (renamed (of_nodes r) (fst e)))) (PM.elements (kinds f)) &&     (* same.nodes *)
  forallb (fun s => smem there (rename r (fst s), rename r (snd s))) (fsteps f).            (* same.steps *)

Section Renaming.
  Context (f f' : form) (r : renaming) (checked : check_renaming f f' r = true).
  Let nu := renamed (of_nodes r).
  Let gamma := renamed (of_globals r).

  Lemma renaming_checked : gamma (first f) = first f' /\ (forall n, kind_of f n <> Inner -> kind_of f' (nu n) = kind_of f n) /\
    (forall p q, In (p, q) (fsteps f) -> In (rename r p, rename r q) (fsteps f')).
  Proof.
    pose proof checked as C. unfold check_renaming in C. rewrite !andb_true_iff, !forallb_forall in C. destruct C as [[A B] C]. apply Pos.eqb_eq in A.
    split; [exact A|split].
    - intros n K. unfold kind_of in K |- *. destruct (PM.find n (kinds f)) as [k|] eqn:E; [|congruence]. apply PM.elements_correct in E. specialize (B _ E).
      cbn [fst snd] in B. fold (kind_of f' (nu n)). fold nu in B. destruct k, (kind_of f' (nu n)); auto; discriminate.
    - intros p q I. specialize (C _ I). now apply smem_of in C.
  Qed.

  Lemma all_renamed k ts : k <> Inner -> all f k ts -> all f' k (map nu ts).
  Proof.
    intros N. unfold all. induction 1 as [|n ts E H IH]; cbn [map]; constructor; auto. destruct renaming_checked as (_ & K & _). rewrite K; congruence.
  Qed.

  Lemma moves_renamed c d : moves (fsteps f) c d -> moves (fsteps f') (gamma (fst c), map nu (snd c)) (gamma (fst d), map nu (snd d)).
  Proof.
    destruct renaming_checked as (_ & _ & S'). induction 1 as [c|g ts i n n' g' d E M R IH]; [constructor|]. cbn [fst snd] in *.
    assert (U : map nu (upd ts i n') = upd (map nu ts) i (nu n')).
    { clear. revert i; induction ts; destruct i; cbn; auto; f_equal; auto. }
    rewrite U in IH. exact (moves_cons _ _ _ _ _ _ _ _ (map_nth_error nu _ _ E) (S' _ _ M) IH).
  Qed.

  Lemma path_renamed p q : path (fsteps f) p q -> path (fsteps f') (rename r p) (rename r q).
  Proof. destruct renaming_checked as (_ & _ & S'). induction 1; [constructor|]. econstructor; eauto. Qed.

  Lemma Int_renamed ds : Int f ds -> Int f' (map nu ds).
  Proof.
    intros (ts & g & I & D & M). destruct renaming_checked as (F & _). exists (map nu ts), (gamma g). rewrite <- F.
    split; [apply all_renamed; auto; discriminate|split; [apply all_renamed; auto; discriminate|exact (moves_renamed _ _ M)]].
  Qed.

  Lemma Ser_renamed ds : Ser f ds -> Ser f' (map nu ds).
  Proof.
    intros (g & W). destruct renaming_checked as (F & K & _). exists (gamma g). rewrite <- F. revert W. generalize (first f) as h. intros h W.
    induction W as [g|g n d g1 ds g2 I D P W IH]; cbn [map]; [constructor|].
    apply walk_cons with (nu n) (gamma g1); [rewrite K; congruence|rewrite K; congruence|exact (path_renamed _ _ P)|exact IH].
  Qed.
End Renaming.

(** There and back. *)
Definition check_same (f f' : form) (r back : renaming) : bool :=
  check_renaming f f' r && check_renaming f' f back &&
  forallb (fun n => Pos.eqb (renamed (of_nodes back) (renamed (of_nodes r) n)) n) (nodes_of f Done).             (* same.maps *)

Theorem check_same_sound f f' r back : check_same f f' r back = true -> fserializable f' -> fserializable f.
Proof.
  unfold check_same. rewrite !andb_true_iff, forallb_forall. intros [[A B] C] H ds I.
  destruct (H _ (Int_renamed f f' r A ds I)) as (es & P & S'). exists (map (renamed (of_nodes back)) es). split; [|now apply (Ser_renamed f' f back B)].
  rewrite <- P, map_map. destruct I as (_ & _ & _ & D & _).
  assert (E : map (fun x => renamed (of_nodes back) (renamed (of_nodes r) x)) ds = ds).
  { clear -C D. induction D as [|d ds E D IH]; cbn [map]; auto. f_equal; auto. apply Pos.eqb_eq, C, nodes_of_in; [discriminate|exact E]. }
  now rewrite E.
Qed.

(** For systems: which node stands for what is a hint. *)
Definition same_systems (s s' : system) (table table' : list (id * place)) (r back : renaming) : bool :=
  match normal s table, normal s' table' with Some f, Some f' => check_same f f' r back | _, _ => false end.

Theorem same_systems_sound s s' table table' r back : same_systems s s' table table' r back = true -> serializable s' -> serializable s.
Proof.
  unfold same_systems. destruct (normal s table) as [f|] eqn:N; [|discriminate]. destruct (normal s' table') as [f'|] eqn:N'; [|discriminate].
  intros C H. apply (normal_sound s table f N), (check_same_sound f f' r back C), (normal_sound s' table' f' N'), H.
Qed.
