(** The normal form has no other interleaved answers than the system, and all
    its serial ones: so the one is serializable exactly if the other is. *)

From Coq Require Import List PArith Bool Permutation Lia.
From Proved Require Import Sets Model Run Simulation Normal.
Import ListNotations.

Section Answers.
  Context (s : system) (table : list (id * place)) (f : form) (N : normal s table = Some f).
  Let T := normal_steps s table.
  Let decode := decode_map table.

  Lemma form_steps p q : In (p, q) (fsteps f) -> In (p, q) T.
  Proof.
    pose proof N as Nf. unfold normal in Nf. destruct (check_table s table); [|discriminate]. injection Nf as <-.
    cbn [fsteps]. intros M. now apply tidy_in in M as [M _].
  Qed.

  (** ** Runs of the normal form are runs of the system *)

  (** A request is in flight until it is done, and then it has answered. *)
  Definition in_flight (n : id) : list (id * id) := match PM.find n decode with Some (At r l) => [(r, l)] | _ => [] end.
  Definition given (n : id) : list letter := match PM.find n decode with Some (Answered r a) => [(r, a)] | _ => [] end.

  Lemma in_flight_at n r l : In (n, At r l) table -> in_flight n = [(r, l)] /\ given n = [].
  Proof.
    destruct (normal_ok s table f N) as [O _]. intros J. apply (ok_decode _ _ _ O) in J. unfold in_flight, given, decode. now rewrite J.
  Qed.

  Lemma given_answered n r a : In (n, Answered r a) table -> in_flight n = [] /\ given n = [(r, a)].
  Proof.
    destruct (normal_ok s table f N) as [O _]. intros J. apply (ok_decode _ _ _ O) in J. unfold in_flight, given, decode. now rewrite J.
  Qed.

  Lemma flat_map_upd {A} (D : id -> list A) ts i n n' : nth_error ts i = Some n -> exists R,
    Permutation (flat_map D ts) (D n ++ R) /\ Permutation (flat_map D (upd ts i n')) (D n' ++ R).
  Proof.
    intros E. apply nth_error_split in E as (X & Y & -> & <-). rewrite upd_app2, PeanoNat.Nat.sub_diag by lia. cbn [upd].
    exists (flat_map D X ++ flat_map D Y). rewrite !flat_map_app. cbn [flat_map].
    split; rewrite !app_assoc; apply Permutation_app_tail, Permutation_app_comm.
  Qed.

  Lemma play c d : moves T c d -> forall F Z, Permutation F (flat_map in_flight (snd c)) -> Permutation Z (flat_map given (snd c)) ->
    exists F' Z', run s (fun _ => True) (Config (fst c) F Z) (Config (fst d) F' Z') /\
      Permutation F' (flat_map in_flight (snd d)) /\ Permutation Z' (flat_map given (snd d)).
  Proof.
    induction 1 as [c|g ts i n n' g' d E M R IH]; cbn [fst snd] in *; intros F Z PF PZ.
    - exists F, Z. split; [now constructor|auto].
    - apply (normal_steps_in s table) in M as (n0 & r & l & J & E0 & H). cbn [fst snd] in *. subst n0.
      destruct (in_flight_at _ _ _ J) as [Fn Gn].
      destruct (flat_map_upd in_flight ts i n n' E) as (RF & PF1 & PF2). destruct (flat_map_upd given ts i n n' E) as (RZ & PZ1 & PZ2).
      rewrite Fn in PF1. rewrite Gn in PZ1. cbn [app] in PF1, PZ1.
      assert (I : In (r, l) F) by (apply (Permutation_in _ (Permutation_sym PF)), (Permutation_in _ (Permutation_sym PF1)); now left).
      apply in_split in I as (F1 & F2 & ->).
      assert (PR : Permutation (F1 ++ F2) RF).
      { apply Permutation_cons_inv with (r, l). rewrite <- PF1, <- PF. apply Permutation_middle. }
      assert (PZR : Permutation Z RZ) by now rewrite PZ.
      assert (Rest : forall F0 Z0, run s (fun _ => True) (Config g (F1 ++ (r, l) :: F2) Z) (Config g' F0 Z0) ->
        Permutation F0 (in_flight n' ++ RF) -> Permutation Z0 (given n' ++ RZ) ->
        exists F' Z', run s (fun _ => True) (Config g (F1 ++ (r, l) :: F2) Z) (Config (fst d) F' Z') /\
          Permutation F' (flat_map in_flight (snd d)) /\ Permutation Z' (flat_map given (snd d))).
      { intros F0 Z0 R0 P0 Q0. destruct (IH F0 Z0) as (F' & Z' & R' & P' & Q'); [now rewrite PF2|now rewrite PZ2|].
        exists F', Z'. split; auto. eapply run_app; eauto. }
      destruct H as [(l' & n1 & M & _ & Jn & E1)|[(l' & a & M & Ja & Jd)|(a & _ & Ja & Jd & <- & _)]].
      + subst n1. destruct (in_flight_at _ _ _ Jn) as [Fn' Gn']. rewrite Fn', Gn' in Rest. cbn [app] in Rest.
        apply (Rest (F1 ++ (r, l') :: F2) Z); auto; [|rewrite <- PR; symmetry; apply Permutation_middle].
        eapply run_cons; [exact Logic.I|apply move; exact M|]. now constructor.
      + destruct (given_answered _ _ _ Jd) as [Fn' Gn']. rewrite Fn', Gn' in Rest. cbn [app] in Rest.
        apply (Rest (F1 ++ F2) ((r, a) :: Z)); auto.
        eapply run_cons; [exact Logic.I|apply move; exact M|]. eapply run_cons; [exact Logic.I|apply respond; exact Ja|]. now constructor.
      + destruct (given_answered _ _ _ Jd) as [Fn' Gn']. rewrite Fn', Gn' in Rest. cbn [app] in Rest.
        apply (Rest (F1 ++ F2) ((r, a) :: Z)); auto.
        eapply run_cons; [exact Logic.I|apply respond; exact Ja|]. now constructor.
  Qed.

  (** First all requests come in. *)
  Lemma spawn_all g ts : all f Initial ts ->
    flat_map given ts = [] /\ exists F, Permutation F (flat_map in_flight ts) /\ run s (fun _ => True) (Config g [] []) (Config g F []).
  Proof.
    induction 1 as [|n ts I H [Gi (F & P & R)]]; cbn [flat_map]; [split; auto; exists []; split; auto; now constructor|].
    destruct (initial_start s table f N n I) as (r & l & J & B). destruct (in_flight_at _ _ _ J) as [-> ->]. split; auto.
    exists ((r, l) :: F). split; [now constructor|]. eapply run_snoc; [exact R|now apply spawn|exact Logic.I].
  Qed.

  Lemma all_given ds : all f Done ds -> flat_map in_flight ds = [] /\ flat_map given ds = map (letter_of table) ds.
  Proof.
    induction 1 as [|n ds D H [IH1 IH2]]; cbn [flat_map map]; auto. destruct (done_answered s table f N n D) as (r & a & J).
    destruct (given_answered _ _ _ J) as [-> ->]. rewrite (letter_answered s table f N _ _ _ J), IH1, IH2. auto.
  Qed.

  Lemma interleaved_normal ds : Int f ds -> exists Z, Permutation Z (map (letter_of table) ds) /\ interleaved s Z.
  Proof.
    intros (ts & g & I & D & M). destruct (normal_ok s table f N) as (_ & Fi & _).
    assert (M' : moves T (initial s, ts) (g, ds)).
    { rewrite <- Fi. clear -M N. induction M; [constructor|]. econstructor; eauto. now apply form_steps. }
    destruct (spawn_all (initial s) ts I) as (Gi & F & P & R). destruct (all_given ds D) as [Fd Gd].
    destruct (play _ _ M' F [] P) as (F' & Z' & R' & P' & Q'); [cbn; now rewrite Gi|]. cbn [fst snd] in *.
    rewrite Fd in P'. symmetry in P'. apply Permutation_nil in P'. subst F'. rewrite Gd in Q'. exists Z'. split; auto.
    exists g. eapply run_app; eauto.
  Qed.

  (** ** Serial runs of the system are serial runs of the normal form *)

  Lemma path_normal r a d p q : path (steps s) p q -> In (fst q, a) (answers s) -> In (d, Answered r a) table ->
    forall n, In (n, At r (fst p)) table -> p = q \/ path T (n, snd p) (d, snd q).
  Proof.
    destruct (normal_ok s table f N) as [O _]. intros P A D.
    induction P as [p|[l g] [l1 g1] q M P IH]; intros n J; auto. right. cbn [fst snd] in *.
    assert (Last : (l1, g1) = q -> path T (n, g) (d, snd q)).
    { intros <-. apply path_one, (normal_steps_in s table). exists n, r, l. cbn in *. repeat split; auto. right; left. eauto. }
    inversion P as [|? [l2 g2] ? M2]; subst; auto. assert (Hs : has_step s l1) by (red; eauto).
    destruct (proj1 (ok_step _ _ _ O _ _ _ _ _ _ J M) Hs) as [n1 J1]. destruct (IH A n1 J1) as [|R]; auto.
    apply path_cons with (n1, g1); auto. apply (normal_steps_in s table). exists n, r, l. cbn. repeat split; auto. left. eauto 6.
  Qed.

  Lemma lone_normal g r a g' d : lone s g (r, a) g' -> In g (all_globals s) -> In (d, Answered r a) table ->
    In g' (all_globals s) /\ exists n, kind_of f n = Initial /\ path T (n, g) (d, g').
  Proof.
    destruct (normal_ok s table f N) as [O _]. intros (l & l' & B & P & A) G D. cbn [fst snd] in *.
    destruct (ok_start _ _ _ O _ _ B) as [[n J] _]. split.
    - assert (H : forall p q, path (steps s) p q -> In (snd p) (all_globals s) -> In (snd q) (all_globals s)).
      { induction 1 as [p|p q q' M R IH]; auto. intros _. apply IH, all_globals_in. right. exists p, q. auto. }
      exact (H _ _ P G).
    - exists n. split; [eapply ok_initial; eauto|]. destruct (path_normal r a d _ _ P A D n J) as [E|]; auto. injection E as <- <-.
      apply path_one, (normal_steps_in s table). exists n, r, l. cbn. repeat split; auto. right; right. exists a. auto.
  Qed.

  Lemma serial_normal Z : serial s Z -> forall ds, all f Done ds -> map (letter_of table) ds = rev Z -> Ser f ds.
  Proof.
    intros S' ds D E. apply serial_walk in S' as [g W]. exists g. destruct (normal_ok s table f N) as (_ & Fi & Pa & _). rewrite Fi.
    rewrite <- E in W. clear E Z. assert (G : In (initial s) (all_globals s)) by (apply all_globals_in; auto). revert W G. generalize (initial s).
    induction D as [|d ds K D IH]; cbn [map]; intros g0 W G; inversion W as [|? ? g1 ? ? L W']; subst; [constructor|].
    destruct (done_answered s table f N d K) as (r & a & J). rewrite (letter_answered s table f N _ _ _ J) in L.
    destruct (lone_normal _ _ _ _ _ L G J) as (G1 & n & I & P). apply walk_cons with n g1; auto. now apply Pa.
  Qed.
End Answers.

(** The answers of the system and those of its normal form are the same, whatever
    the order: interleaved, and serial. *)
Theorem normal_answers s table f : normal s table = Some f ->
  (forall Z, (exists Z', Permutation Z Z' /\ interleaved s Z') <-> (exists ds, Permutation Z (map (letter_of table) ds) /\ Int f ds)) /\
  (forall Z, (exists Z', Permutation Z Z' /\ serial s Z') <-> (exists ds, Permutation Z (map (letter_of table) ds) /\ Ser f ds)).
Proof.
  intros N. split; intros Z; split.
  - intros (Z' & P & I). destruct (normal_interleaved s table f N _ I) as (ds & Id & Q). exists ds. split; auto. now rewrite P.
  - intros (ds & P & I). destruct (interleaved_normal s table f N _ I) as (Z' & Q & I'). exists Z'. split; auto. now rewrite P, Q.
  - intros (Z' & P & S'). assert (I : interleaved s Z') by (destruct S' as [g R]; exists g; clear -R; induction R; econstructor; eauto).
    destruct (normal_interleaved s table f N _ I) as (ds & (ts & g & _ & D & _) & Q). rewrite (Permutation_rev Z') in Q.
    apply Permutation_map_inv in Q as (es & E & Q). exists es. split; [now rewrite P, (Permutation_rev Z'), E|].
    apply (serial_normal s table f N Z' S'); auto. unfold all. now rewrite <- Q.
  - intros (ds & P & S'). exists (rev (map (letter_of table) ds)). split; [now rewrite <- Permutation_rev|]. eapply normal_serial; eauto.
Qed.

Theorem normal_sound s table f : normal s table = Some f -> serializable s <-> fserializable f.
Proof.
  intros N. destruct (normal_answers s table f N) as [A B]. split; intros H.
  - intros ds I. destruct (proj2 (A (map (letter_of table) ds))) as (Z & P & Iz); [eauto|]. destruct (H Z Iz) as (Z' & P' & S').
    assert (Q : Permutation (rev Z') (map (letter_of table) ds)) by now rewrite P, P', <- Permutation_rev.
    apply Permutation_map_inv in Q as (es & E & Q). exists es. split; auto. apply (serial_normal s table f N Z' S'); auto.
    destruct I as (_ & _ & _ & D & _). unfold all. now rewrite <- Q.
  - intros Z I. destruct (proj1 (A Z)) as (ds & P & Id); [eauto|]. destruct (H ds Id) as (es & Q & S').
    destruct (proj2 (B Z)) as (Z' & P' & S2); [exists es; split; auto; rewrite P; now apply Permutation_map|]. eauto.
Qed.
