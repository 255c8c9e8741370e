(** Products: each component has a global state of its own, and a run is a
    shuffle of runs of the components. *)

From Coq Require Import List PArith Bool Permutation Lia.
From Proved Require Import Sets Model.
Import ListNotations.

(** An event of one component; the others stay as they are. *)
Inductive pevent : list system -> list config -> list config -> Prop :=
| pevent_here s ss c d cs : event s c d -> pevent (s :: ss) (c :: cs) (d :: cs)
| pevent_later s ss c cs ds : pevent ss cs ds -> pevent (s :: ss) (c :: cs) (c :: ds).

Inductive prun (ss : list system) (ok : list config -> Prop) : list config -> list config -> Prop :=
| prun_nil cs : ok cs -> prun ss ok cs cs
| prun_cons cs ds es : ok cs -> pevent ss cs ds -> prun ss ok ds es -> prun ss ok cs es.

Definition in_flight (cs : list config) : nat := length (concat (map flight cs)).
Definition all_completed (cs : list config) : list letter := concat (map completed cs).

Definition complete_run (ss : list system) (ok : list config -> Prop) (Z : list letter) : Prop :=
  exists ds, prun ss ok (map start ss) ds /\ in_flight ds = 0 /\ Permutation Z (all_completed ds).

Definition product_interleaved (ss : list system) (Z : list letter) : Prop := complete_run ss (fun _ => True) Z.
Definition product_serial (ss : list system) (Z : list letter) : Prop := complete_run ss (fun cs => in_flight cs <= 1) Z.
Definition product_serializable (ss : list system) : Prop := forall Z, product_interleaved ss Z -> product_serial ss Z.

(** * Projections *)

Lemma prun_length ss ok cs ds : prun ss ok cs ds -> length cs = length ds.
Proof.
  induction 1 as [|cs ds es O E R IH]; auto. rewrite <- IH. clear -E. induction E; cbn; auto.
Qed.

Lemma flight_part cs k c : nth_error cs k = Some c -> length (flight c) <= in_flight cs.
Proof.
  unfold in_flight. revert k; induction cs as [|b cs IH]; destruct k; cbn; try discriminate; rewrite app_length.
  - intros [= ->]. lia.
  - intros E. specialize (IH _ E). lia.
Qed.

Lemma project ss (ok : list config -> Prop) (ok' : config -> Prop) cs ds k s c d : (forall cs c, ok cs -> nth_error cs k = Some c -> ok' c) ->
  prun ss ok cs ds -> nth_error ss k = Some s -> nth_error cs k = Some c -> nth_error ds k = Some d -> run s ok' c d.
Proof.
  intros H R. revert c. induction R as [cs O|cs es ds O E R IH]; intros c Es Ec Ed.
  - assert (c = d) as -> by congruence. constructor. eauto.
  - assert (K : exists e, nth_error es k = Some e /\ (e = c \/ event s c e)).
    { clear -E Es Ec. revert k Es Ec. induction E as [t ss c0 d0 cs Ev|t ss c0 cs ds E IH]; destruct k; cbn; intros Es Ec; eauto.
      injection Es as ->. injection Ec as ->. eauto. }
    destruct K as (e & Ee & [->|Ev]); eauto. econstructor; eauto.
Qed.

Lemma project_tail s ss ok c cs d ds : prun (s :: ss) ok (c :: cs) (d :: ds) -> prun ss (fun _ => True) cs ds.
Proof.
  intros R. remember (s :: ss) as us eqn:Eu. remember (c :: cs) as a eqn:Ea. remember (d :: ds) as b eqn:Eb. revert c cs Ea.
  induction R as [a O|a e b O E R IH]; intros c cs Ea; subst.
  - injection Ea as -> ->. constructor; auto.
  - inversion E as [? ? ? d0 ? Ev|? ? ? ? ds0 E']; subst; eauto. eapply prun_cons; eauto.
Qed.

(** * A component alone, and one after the other *)

Lemma idle_total cs : in_flight (map start cs) = 0.
Proof. unfold in_flight. induction cs; cbn; auto. Qed.

Lemma lift_here s ss c d cs : in_flight cs = 0 -> run s (fun c => length (flight c) <= 1) c d ->
  prun (s :: ss) (fun cs => in_flight cs <= 1) (c :: cs) (d :: cs).
Proof.
  intros Z R. assert (O : forall c, length (flight c) <= 1 -> in_flight (c :: cs) <= 1).
  { intros e L. unfold in_flight in *. cbn. rewrite app_length. lia. }
  induction R; [constructor; auto|]. econstructor; eauto. now constructor.
Qed.

Lemma lift_later s ss c cs ds : flight c = [] -> prun ss (fun cs => in_flight cs <= 1) cs ds ->
  prun (s :: ss) (fun cs => in_flight cs <= 1) (c :: cs) (c :: ds).
Proof.
  intros Z R. assert (O : forall cs, in_flight cs <= 1 -> in_flight (c :: cs) <= 1).
  { intros es L. unfold in_flight in *. cbn. now rewrite Z. }
  induction R; [constructor; auto|]. econstructor; eauto. now constructor.
Qed.

Lemma prun_app ss ok cs ds es : prun ss ok cs ds -> prun ss ok ds es -> prun ss ok cs es.
Proof. induction 1; auto. intros; econstructor; eauto. Qed.

(** If each component is serializable, so is the product. *)
Theorem components_serializable ss : Forall serializable ss -> product_serializable ss.
Proof.
  intros H Z (ds & R & F & P).
  assert (G : exists es, prun ss (fun cs => in_flight cs <= 1) (map start ss) es /\ in_flight es = 0 /\ Permutation (all_completed ds) (all_completed es)).
  { clear P. revert ds R F. induction H as [|s ss Hs H IH]; intros ds R F.
    - exists []. destruct ds; [|apply prun_length in R; discriminate]. repeat split; auto. constructor. cbn. auto.
    - destruct ds as [|d ds]; [apply prun_length in R; discriminate|]. cbn [map] in R.
      assert (Rs : run s (fun _ => True) (start s) d) by (eapply (project _ _ (fun _ => True) _ _ 0); eauto; reflexivity).
      unfold in_flight in F. cbn in F. rewrite app_length in F.
      assert (Fd : flight d = []) by (destruct (flight d); auto; cbn in F; lia).
      destruct (IH ds (project_tail _ _ _ _ _ _ _ R)) as (es & Re & Fe & Pe); [unfold in_flight; lia|].
      destruct (Hs (completed d)) as (Z' & Pz & g & Rz).
      { exists (global d). destruct d; cbn in *. now subst. }
      exists (Config g [] Z' :: es). repeat split; auto.
      + cbn [map]. eapply prun_app; [apply lift_here; [apply idle_total|exact Rz]|]. apply lift_later; auto.
      + unfold all_completed in *. cbn. now apply Permutation_app. }
  destruct G as (es & Re & Fe & Pe). exists es. repeat split; auto. now rewrite P.
Qed.

(** * A component that is not serializable *)

Definition asks (s : system) (r : id) : Prop := exists l, In (r, l) (starts s).

Lemma run_asks s ok c d : run s ok c d -> Forall (fun x => asks s (fst x)) (flight c ++ completed c) -> Forall (fun x => asks s (fst x)) (flight d ++ completed d).
Proof.
  induction 1 as [|c d e O E R IH]; auto. intros H. apply IH. clear -E H.
  destruct E as [g F Z r l B|g g' F1 F2 Z r l l' M|g F1 F2 Z r l a A]; cbn [flight completed] in *.
  - cbn. constructor; auto. exists l; auto.
  - rewrite !Forall_app in *. destruct H as [[H1 H2] H3]. repeat split; auto. inversion H2; subst. constructor; auto.
  - rewrite !Forall_app in *. destruct H as [[H1 H2] H3]. inversion H2; subst. repeat split; auto.
Qed.

Lemma completed_asks s ok d : run s ok (start s) d -> Forall (fun x => asks s (fst x)) (completed d).
Proof. intros R. apply run_asks in R; [|constructor]. now apply Forall_app in R as [_ R]. Qed.

Definition apart (ss : list system) : Prop :=
  forall i j s t r, nth_error ss i = Some s -> nth_error ss j = Some t -> asks s r -> asks t r -> i = j.

Lemma only_one k (ss : list system) s (ds : list config) : nth_error ss k = Some s -> length ds = length ss ->
  (forall j t d, j <> k -> nth_error ss j = Some t -> nth_error ds j = Some d -> completed d = []) ->
  exists d, nth_error ds k = Some d /\ all_completed ds = completed d.
Proof.
  unfold all_completed. revert k ss; induction ds as [|d ds IH]; intros k ss Ek L H; [destruct ss, k; discriminate|].
  destruct ss as [|t ss]; [discriminate|]. cbn in L. destruct k; cbn [nth_error map concat] in *.
  - exists d. split; auto. replace (concat (map completed ds)) with (@nil letter); [now rewrite app_nil_r|].
    assert (K : forall j e, nth_error ds j = Some e -> completed e = []).
    { intros j e E. destruct (nth_error ss j) as [u|] eqn:U.
      - apply (H (S j) u e); auto.
      - apply nth_error_None in U. assert (j < length ds) by (apply nth_error_Some; congruence). lia. }
    clear -K. induction ds as [|e ds IH]; auto. cbn. rewrite (K 0 e eq_refl). cbn. apply IH. intros j. apply (K (S j)).
  - destruct (IH k ss Ek) as (e & Ee & C); [lia|intros j u x Nj; apply (H (S j)); congruence|].
    exists e. split; auto. rewrite (H 0 t d); auto.
Qed.

Lemma lift_alone k (ss : list system) s : nth_error ss k = Some s -> forall c d, run s (fun _ => True) c d -> forall cs, nth_error cs k = Some c -> length cs = length ss ->
  exists ds, prun ss (fun _ => True) cs ds /\ nth_error ds k = Some d /\ length ds = length ss /\ (forall j, j <> k -> nth_error ds j = nth_error cs j).
Proof.
  intros Ek c d R. induction R as [c O|c e d O E R IH]; intros cs Ec L.
  - exists cs. repeat split; auto. constructor; auto.
  - assert (K : exists es, pevent ss cs es /\ nth_error es k = Some e /\ length es = length ss /\ forall j, j <> k -> nth_error es j = nth_error cs j).
    { clear -E Ek Ec L. revert k cs Ek Ec L. induction ss as [|t ss IHs]; destruct k, cs; cbn; try discriminate; intros Ek Ec L.
      - injection Ek as ->. injection Ec as ->. exists (e :: cs). repeat split; auto; [now constructor|]. destruct j; cbn; auto. lia.
      - destruct (IHs k cs Ek Ec) as (es & P & N & Le & Q); [lia|]. exists (c0 :: es). repeat split; cbn; auto; [now constructor|].
        destruct j; cbn; auto. }
    destruct K as (es & P & N & Le & Q). destruct (IH es N Le) as (ds & Pd & Nd & Ld & Qd). exists ds. repeat split; auto.
    + econstructor; eauto.
    + intros j Nj. rewrite Qd; auto.
Qed.

Theorem component_refutes ss k s : apart ss -> nth_error ss k = Some s -> ~ serializable s -> ~ product_serializable ss.
Proof.
  intros A Ek N H. apply N. clear N. intros Z [g R].
  assert (Ec : nth_error (map start ss) k = Some (start s)) by now apply map_nth_error.
  destruct (lift_alone k ss s Ek _ _ R (map start ss) Ec (map_length _ _)) as (cs & Pc & Nk & L & Q).
  assert (Idle : forall j c, j <> k -> nth_error cs j = Some c -> flight c = [] /\ completed c = []).
  { intros j c Nj E. rewrite Q in E by auto. apply nth_error_In, in_map_iff in E as (t & <- & _). auto. }
  assert (F0 : in_flight cs = 0).
  { unfold in_flight. assert (X : forall j c, nth_error cs j = Some c -> flight c = []).
    { intros j c E. destruct (PeanoNat.Nat.eq_dec j k) as [->|Nj]; [rewrite Nk in E; now injection E as <-|now apply (Idle j)]. }
    clear -X. induction cs as [|c cs IH]; auto. cbn. rewrite (X 0 c eq_refl). apply IH. intros j. apply (X (S j)). }
  destruct (only_one k ss s cs Ek L) as (ck & Ek' & C); [intros j t c Nj _ E; now apply (Idle j)|].
  rewrite Nk in Ek'. injection Ek' as <-. cbn [completed] in C.
  destruct (H Z) as (ds & Rd & Fd & Pd); [exists cs; repeat split; auto; now rewrite C|].
  pose proof (prun_length _ _ _ _ Rd) as Ld. rewrite map_length in Ld.
  pose proof (completed_asks _ _ _ R) as AZ. cbn in AZ.
  destruct (only_one k ss s ds Ek (eq_sym Ld)) as (dk & Edk & Cd).
  { intros j t d Nj Et Ed.
    assert (Rt : run t (fun _ => True) (start t) d).
    { eapply (project ss _ (fun _ => True)); [auto|exact Rd|exact Et|now apply map_nth_error|exact Ed]. }
    pose proof (completed_asks _ _ _ Rt) as At. destruct (completed d) as [|x Y] eqn:Ec'; auto. exfalso. apply Nj.
    inversion At as [|? ? Ax _]; subst. apply (A j k t s (fst x)); auto.
    rewrite Forall_forall in AZ. apply AZ. eapply Permutation_in; [symmetry; exact Pd|]. unfold all_completed. apply in_concat.
    exists (completed d). rewrite Ec'. split; [|now left]. rewrite <- Ec'. apply in_map. eapply nth_error_In; eauto. }
  exists (completed dk). split; [now rewrite <- Cd|]. exists (global dk).
  assert (Fk : flight dk = []).
  { pose proof (flight_part _ _ _ Edk) as Lk. rewrite Fd in Lk. destruct (flight dk); auto. cbn in Lk. lia. }
  assert (Rk : run s (fun c => length (flight c) <= 1) (start s) dk).
  { eapply (project ss _ (fun c => length (flight c) <= 1)); [|exact Rd|exact Ek|exact Ec|exact Edk].
    intros bs b Ob Eb. pose proof (flight_part _ _ _ Eb). cbn beta in Ob. eapply PeanoNat.Nat.le_trans; eauto. }
  destruct dk; cbn in *. now subst.
Qed.

(** components.requests *)
Definition requests (s : system) : list id := tmap fst (starts s).

Definition check_apart (ss : list system) : bool :=
  snd (fold_left (fun a s => (fold_left iadd (requests s) (fst a), snd a && forallb (fun r => negb (imem (fst a) r)) (requests s))) ss (PM.empty _, true)).

Lemma requests_in s r : In r (requests s) <-> asks s r.
Proof.
  unfold requests, asks. rewrite tmap_in. split.
  - intros ([r' l] & <- & J). eauto.
  - intros [l J]. exists (r, l); auto.
Qed.

Lemma check_apart_sound ss : check_apart ss = true -> apart ss.
Proof.
  unfold check_apart. set (body := fun a s => _).
  assert (Add : forall l u x, imem (fold_left iadd l u) x = true <-> In x l \/ imem u x = true).
  { induction l as [|y l IH]; cbn; intros; [tauto|]. rewrite IH, imem_iadd. intuition congruence. }
  assert (H : forall ss a, snd (fold_left body ss a) = true -> snd a = true /\
    (forall j t r, nth_error ss j = Some t -> asks t r -> imem (fst a) r = false) /\ apart ss).
  { clear ss. induction ss as [|s ss IH]; cbn [fold_left]; intros a E.
    - split; auto. split; [intros [|j]; discriminate|intros [|i]; discriminate].
    - destruct (IH _ E) as (E1 & N & Ap). unfold body in E1, N. cbn [fst snd] in E1, N. apply andb_true_iff in E1 as [Ea F]. rewrite forallb_forall in F.
      split; auto. split.
      + intros [|j] t r Et Ar; cbn in Et.
        * injection Et as ->. apply requests_in in Ar. specialize (F _ Ar). now apply negb_true_iff.
        * specialize (N j t r Et Ar). destruct (imem (fst a) r) eqn:Q; auto. rewrite <- N. symmetry. apply Add. auto.
      + assert (X : forall j t r, nth_error ss j = Some t -> asks t r -> asks s r -> False).
        { intros j t r Et Ar As. specialize (N j t r Et Ar). apply requests_in in As.
          assert (imem (fold_left iadd (requests s) (fst a)) r = true) by (apply Add; auto). congruence. }
        intros [|i] [|j] u v r Eu Ev Au Av; cbn in Eu, Ev; auto.
        * injection Eu as ->. exfalso. eauto.
        * injection Ev as ->. exfalso. eauto.
        * f_equal. eapply (Ap i j u v r); eauto. }
  intros E. now destruct (H ss _ E) as (_ & _ & Ap).
Qed.
