(** Systems whose global states are global states of another with something
    beside them. The states that can be reached are a hint, in two lists: those
    that are kept, by which the new ones are numbered, and those that are
    dropped. It is checked that nothing leads from what is dropped to a state
    in which a complete run can end, or to one that is in neither list. *)

From Coq Require Import List PArith Bool.
From Proved Require Import Sets Model Sums Labels.
Import ListNotations.

Section Explored.
  (** States, which need not be equal if their keys are; where a step between two nodes leads; where a run can end. *)
  Context {A : Type} (eqb : A -> A -> bool) (eqb_eq : forall a b, eqb a b = true -> a = b) (key : A -> point).
  Context (next : A -> list (point * A)) (home : A -> bool) (kept dropped : list A).

  Definition entries : list (id * A) := tnumbers kept.
  Definition kept_index : index_type (id * A) := index (tmap (fun e => (key (snd e), e)) entries).
  Definition dropped_index : index_type A := index (tmap (fun a => (key a, a)) dropped).
  Definition number_in (m : index_type (id * A)) (a : A) : option id :=
    match find (fun e => eqb a (snd e)) (found m (key a)) with Some e => Some (fst e) | None => None end.
  Definition is_in (m : index_type A) (a : A) : bool := existsb (eqb a) (found m (key a)).

  Definition explored_steps : option (list step) :=
    let m := kept_index in
    let d := dropped_index in
    if forallb (fun a => negb (home a) && forallb (fun x => is_in d (snd x)) (next a)) dropped &&
       forallb (fun e => forallb (fun x => match number_in m (snd x) with Some _ => true | None => is_in d (snd x) end) (next (snd e))) entries
    then Some (tflat (fun e => tflat (fun x => match number_in m (snd x) with
      | Some k => [((fst (fst x), fst e), (snd (fst x), k))] | None => [] end) (next (snd e))) entries)
    else None.

  Definition number_of (a : A) : option id := number_in kept_index a.
  Definition is_dropped (a : A) : bool := is_in dropped_index a.

  Lemma number_of_in a k : number_of a = Some k -> In (k, a) entries.
  Proof.
    unfold number_of, number_in. destruct (find _ _) as [[i b]|] eqn:F; [|discriminate]. intros [= <-]. apply find_some in F as [F E].
    apply eqb_eq in E. cbn [snd] in E. subst b. apply found_index, tmap_in in F as (e & E & I). injection E as _ ->. exact I.
  Qed.

  Lemma is_dropped_in a : is_dropped a = true -> In a dropped.
  Proof.
    unfold is_dropped, is_in. rewrite existsb_exists. intros (b & F & E). apply eqb_eq in E. subst b.
    apply found_index, tmap_in in F as (b & E & I). injection E as _ ->. exact I.
  Qed.

  (** A number stands for one state. *)
  Lemma entries_function k a b : In (k, a) entries -> In (k, b) entries -> a = b.
  Proof. unfold entries. rewrite tnumbers_rev, <- !in_rev. apply numbers_function. Qed.

  Context (T : list step) (explored : explored_steps = Some T).

  Lemma dropped_home a : is_dropped a = true -> home a = false.
  Proof.
    intros D. apply is_dropped_in in D. revert explored. unfold explored_steps. destruct (_ && _) eqn:C; [|discriminate]. intros _.
    apply andb_true_iff in C as [C _]. rewrite forallb_forall in C. specialize (C a D). apply andb_true_iff in C as [C _]. now apply negb_true_iff.
  Qed.

  Lemma dropped_next a n a' : is_dropped a = true -> In (n, a') (next a) -> is_dropped a' = true.
  Proof.
    intros D I. apply is_dropped_in in D. revert explored. unfold explored_steps. destruct (_ && _) eqn:C; [|discriminate]. intros _.
    apply andb_true_iff in C as [C _]. rewrite forallb_forall in C. specialize (C a D). apply andb_true_iff in C as [_ C].
    rewrite forallb_forall in C. exact (C (n, a') I).
  Qed.

  Lemma kept_next a k n n' a' : number_of a = Some k -> In ((n, n'), a') (next a) ->
    is_dropped a' = true \/ exists k', number_of a' = Some k' /\ In ((n, k), (n', k')) T.
  Proof.
    intros K I. apply number_of_in in K. revert explored. unfold explored_steps. destruct (_ && _) eqn:C; [|discriminate]. intros [= <-].
    apply andb_true_iff in C as [_ C]. rewrite forallb_forall in C. specialize (C _ K). cbn [snd] in C. rewrite forallb_forall in C. specialize (C _ I). cbn [snd] in C.
    unfold number_of. destruct (number_in kept_index a') as [k'|] eqn:N; [|left; exact C]. right. exists k'. split; auto.
    apply tflat_in. exists (k, a). split; auto. cbn [fst snd]. apply tflat_in. exists ((n, n'), a'). split; auto. cbn [fst snd]. rewrite N. now left.
  Qed.

  (** And each new step comes from one before. *)
  Lemma explored_step n k n' k' : In ((n, k), (n', k')) T -> exists a a', In (k, a) entries /\ In (k', a') entries /\ In ((n, n'), a') (next a).
  Proof.
    revert explored. unfold explored_steps. destruct (_ && _); [|discriminate]. intros [= <-] I.
    apply tflat_in in I as ([k0 a] & K & I). apply tflat_in in I as ([[m m'] a'] & J & I). cbn [fst snd] in *.
    destruct (number_in kept_index a') as [k1|] eqn:N; [|destruct I]. destruct I as [I|[]]. injection I as -> -> -> ->.
    exists a, a'. repeat split; auto. now apply number_of_in.
  Qed.
End Explored.
