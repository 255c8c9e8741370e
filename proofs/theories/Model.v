(** What is proved is said with these definitions, and with nothing cleverer.

    First network systems, their runs, and what serializable means. Then the
    normal form, which the reductions work on. *)

From Coq Require Import List PArith Permutation.
From Proved Require Import Sets.
Import ListNotations.

(** * Network systems *)

(** Requests and responses, local and global states are numbers. *)
Record system := System {
  initial : id;                  (** the global state in which everything begins *)
  starts : list (id * id);       (** a request, and a local state in which it may start *)
  answers : list (id * id);      (** a local state, and a response that it may give *)
  steps : list step              (** ((local, global), (local afterwards, global afterwards)) *)
}.

(** A request and its response. *)
Definition letter := (id * id)%type.

Record config := Config {
  global : id;
  flight : list (id * id);       (** the requests in flight: request and local state *)
  completed : list letter        (** what was answered so far *)
}.

Inductive event (s : system) : config -> config -> Prop :=
| spawn g F Z r l : In (r, l) (starts s) ->
    event s (Config g F Z) (Config g ((r, l) :: F) Z)
| move g g' F1 F2 Z r l l' : In ((l, g), (l', g')) (steps s) ->
    event s (Config g (F1 ++ (r, l) :: F2) Z) (Config g' (F1 ++ (r, l') :: F2) Z)
| respond g F1 F2 Z r l a : In (l, a) (answers s) ->
    event s (Config g (F1 ++ (r, l) :: F2) Z) (Config g (F1 ++ F2) ((r, a) :: Z)).

(** A run, all of whose configurations are as [ok] says. *)
Inductive run (s : system) (ok : config -> Prop) : config -> config -> Prop :=
| run_nil c : ok c -> run s ok c c
| run_cons c d e : ok c -> event s c d -> run s ok d e -> run s ok c e.

Definition start (s : system) : config := Config (initial s) [] [].

(** A complete run from the start answers as the list says. *)
Definition interleaved (s : system) (Z : list letter) : Prop :=
  exists g, run s (fun _ => True) (start s) (Config g [] Z).

(** So does one in which never more than one request is in flight. *)
Definition serial (s : system) (Z : list letter) : Prop :=
  exists g, run s (fun c => length (flight c) <= 1) (start s) (Config g [] Z).

Definition serializable (s : system) : Prop :=
  forall Z, interleaved s Z -> exists Z', Permutation Z Z' /\ serial s Z'.

(** * Normal forms *)

Inductive kind := Initial | Inner | Done.

(** Nodes are numbers. One map says what each is, so that none is initial and
    done; those that are not in it are inner nodes. *)
Record form := Form {
  first : id;
  kinds : PM.t kind;
  fsteps : list step
}.

Definition kind_of (f : form) (n : id) : kind := match PM.find n (kinds f) with Some k => k | None => Inner end.

(** What one request alone can do. *)
Inductive path (T : list step) : point -> point -> Prop :=
| path_nil p : path T p p
| path_cons p q r : In (p, q) T -> path T q r -> path T p r.

(** A request for each position; one of them makes a step. *)
Definition state := (id * list id)%type.

Fixpoint upd (ts : list id) (i : nat) (n : id) : list id :=
  match ts, i with
  | [], _ => []
  | _ :: ts, O => n :: ts
  | t :: ts, S i => t :: upd ts i n
  end.

Inductive moves (T : list step) : state -> state -> Prop :=
| moves_nil c : moves T c c
| moves_cons g ts i n n' g' d : nth_error ts i = Some n -> In ((n, g), (n', g')) T ->
    moves T (g', upd ts i n') d -> moves T (g, ts) d.

Definition all (f : form) (k : kind) (ts : list id) : Prop := Forall (fun n => kind_of f n = k) ts.

(** The done nodes that the requests of a complete run come to, by position. *)
Definition Int (f : form) (ds : list id) : Prop :=
  exists ts g, all f Initial ts /\ all f Done ds /\ moves (fsteps f) (first f, ts) (g, ds).

(** One request after the other. *)
Inductive walk (f : form) : id -> list id -> id -> Prop :=
| walk_nil g : walk f g [] g
| walk_cons g n d g' ds g'' : kind_of f n = Initial -> kind_of f d = Done ->
    path (fsteps f) (n, g) (d, g') -> walk f g' ds g'' -> walk f g (d :: ds) g''.

Definition Ser (f : form) (ds : list id) : Prop := exists g, walk f (first f) ds g.

Definition fserializable (f : form) : Prop :=
  forall ds, Int f ds -> exists ds', Permutation ds ds' /\ Ser f ds'.

Definition below (f f' : form) : Prop :=
  (forall ds, Int f ds -> Int f' ds) /\ (forall ds, Ser f ds -> Ser f' ds).

(** A reduction leaves a normal form with the same answers. *)
Definition same (f f' : form) : Prop := below f f' /\ below f' f.

Lemma below_refl f : below f f.
Proof. split; auto. Qed.

Lemma below_trans f g h : below f g -> below g h -> below f h.
Proof. intros [] []; split; auto. Qed.

Lemma same_refl f : same f f.
Proof. split; apply below_refl. Qed.

Lemma same_trans f g h : same f g -> same g h -> same f h.
Proof. intros [] []; split; eapply below_trans; eauto. Qed.

Lemma same_serializable f g : same f g -> fserializable g -> fserializable f.
Proof.
  intros [[A _] [_ B]] H ds I. destruct (H ds (A _ I)) as (ds' & P & S'). exists ds'; auto.
Qed.

Lemma path_app T p q r : path T p q -> path T q r -> path T p r.
Proof. induction 1; auto. intros; econstructor; eauto. Qed.

Lemma path_one T p q : In (p, q) T -> path T p q.
Proof. intros; econstructor; [eauto|constructor]. Qed.

Lemma moves_app T c d e : moves T c d -> moves T d e -> moves T c e.
Proof. induction 1; auto. intros; econstructor; eauto. Qed.

Lemma upd_length ts i n : length (upd ts i n) = length ts.
Proof. revert i; induction ts; destruct i; cbn; auto. Qed.

Lemma upd_same ts i n : nth_error ts i <> None -> nth_error (upd ts i n) i = Some n.
Proof. revert i; induction ts; destruct i; cbn; auto; congruence. Qed.

Lemma upd_other ts i j n : i <> j -> nth_error (upd ts i n) j = nth_error ts j.
Proof. revert i j; induction ts; destruct i, j; cbn; auto; congruence. Qed.

Lemma upd_upd ts i m n : upd (upd ts i m) i n = upd ts i n.
Proof. revert i; induction ts; destruct i; cbn; auto; f_equal; auto. Qed.

Lemma upd_id ts i n : nth_error ts i = Some n -> upd ts i n = ts.
Proof. revert i; induction ts; destruct i; cbn; auto; try congruence. intros; f_equal; auto. Qed.

Lemma upd_comm ts i j m n : i <> j -> upd (upd ts i m) j n = upd (upd ts j n) i m.
Proof. revert i j; induction ts; destruct i, j; cbn; auto; try congruence. intros; f_equal; auto. Qed.

(** A path of one request, played without another in between. *)
Lemma moves_path T p q ts i : path T p q -> nth_error ts i = Some (fst p) ->
  moves T (snd p, ts) (snd q, upd ts i (fst q)).
Proof.
  intros H; revert ts; induction H as [p|[n g] [n' g'] r S' P IH]; cbn [fst snd] in *; intros ts E.
  - rewrite upd_id by auto. constructor.
  - apply moves_cons with (1 := E) (2 := S'). rewrite <- (upd_upd ts i n' (fst r)). apply IH, upd_same. congruence.
Qed.
