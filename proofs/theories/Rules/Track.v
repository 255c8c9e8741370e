(** [track]: how many requests are at some nodes becomes part of the global state. *)

From Coq Require Import List PArith NArith Bool Lia.
From Proved Require Import Sets Model Simulation Sums Labels Explored.
Import ListNotations.

(** A global state, and for each group how many requests are in it, up to a limit. *)
Definition tracked := (id * list N)%type.

Definition tracked_eqb (a b : tracked) : bool :=
  Pos.eqb (fst a) (fst b) && (if list_eq_dec N.eq_dec (snd a) (snd b) then true else false).

Lemma tracked_eqb_eq a b : tracked_eqb a b = true -> a = b.
Proof.
  destruct a, b. unfold tracked_eqb. cbn [fst snd]. rewrite andb_true_iff, Pos.eqb_eq. intros [-> E]. destruct (list_eq_dec _ _ _); congruence.
Qed.

Section Track.
  Context (most : N).

  Definition tracked_key (a : tracked) : point := (fst a, N.succ_pos (fold_left (fun k c => (k * (most + 1) + c)%N) (snd a) 0%N)).

  (** What a number may be after a step from a node inside or outside to one inside or outside. *)
  Definition counted (inside inside' : bool) (c : N) : list N :=
    match inside, inside' with
    | true, true => if N.eqb c 0 then [] else [c]
    | true, false => if N.eqb c 0 then [] else if N.eqb c most then [N.pred c; c] else [N.pred c]
    | false, true => [N.min (c + 1) most]
    | false, false => [c]
    end.

  Fixpoint counted_all (gs : list idset) (n n' : id) (cs : list N) : list (list N) :=
    match gs, cs with
    | g :: gs, c :: cs => let rest := counted_all gs n n' cs in tflat (fun c' => tmap (cons c') rest) (counted (imem g n) (imem g n') c)
    | _, _ => [[]]
    end.

  Definition steps_under (f : form) : PM.t (list step) := index1 (tmap (fun s => (global_before s, s)) (fsteps f)).

  Definition tracked_next (under : PM.t (list step)) (gs : list idset) (a : tracked) : list (point * tracked) :=
    tflat (fun s => tmap (fun cs => ((node_before s, node_after s), (global_after s, cs))) (counted_all gs (node_before s) (node_after s) (snd a)))
      (found1 under (fst a)).

  (** No request is counted. *)
  Definition tracked_home (a : tracked) : bool := forallb (N.eqb 0) (snd a).
  Definition tracked_first (f : form) (groups : list (list id)) : tracked := (first f, tmap (fun _ => 0%N) groups).

  Definition groups_of (groups : list (list id)) : list idset := rev_append (tmap iset groups) [].
  Definition inner_node (f : form) (n : id) : bool := match kind_of f n with Inner => true | _ => false end.

  (** The states are a hint. *)
  Definition track (hint : list tracked * list tracked) (f : form) (groups : list (list id)) : option form :=
    if N.leb 1 most &&                                                                      (* track.most *)
       forallb (forallb (inner_node f)) groups                                              (* track.inner *)
    then
      match explored_steps tracked_eqb tracked_key (tracked_next (steps_under f) (groups_of groups)) tracked_home (fst hint) (snd hint),
            number_of tracked_eqb tracked_key (fst hint) (tracked_first f groups) with
      | Some T, Some k => Some (Form k (kinds f) (tidy T))
      | _, _ => None
      end
    else None.

  (** * How many requests are in each group *)

  Definition inside (g : idset) (ts : list id) : N := N.of_nat (length (filter (imem g) ts)).
  Definition numbers_inside (gs : list idset) (ts : list id) : list N := map (fun g => N.min most (inside g ts)) gs.

  Lemma inside_upd g ts i n n' : nth_error ts i = Some n -> (inside g (upd ts i n') + N.b2n (imem g n) = inside g ts + N.b2n (imem g n'))%N.
  Proof.
    unfold inside. revert i; induction ts as [|t ts IH]; intros [|i] E; cbn in E; try discriminate; cbn [upd filter].
    - injection E as ->. destruct (imem g n), (imem g n'); cbn [length N.b2n]; lia.
    - specialize (IH i E). destruct (imem g t); cbn [length]; lia.
  Qed.

  Lemma inside_some g ts i n : nth_error ts i = Some n -> imem g n = true -> (1 <= inside g ts)%N.
  Proof.
    intros E G. unfold inside. assert (I : In n (filter (imem g) ts)) by (apply filter_In; split; auto; eapply nth_error_In; eauto).
    destruct (filter (imem g) ts); [destruct I|cbn [length]; lia].
  Qed.

  Lemma counted_upd gs ts i n n' : (1 <= most)%N -> nth_error ts i = Some n -> In (numbers_inside gs (upd ts i n')) (counted_all gs n n' (numbers_inside gs ts)).
  Proof.
    intros L E. induction gs as [|g gs IH]; cbn [numbers_inside map counted_all]; [now left|].
    apply tflat_in. exists (N.min most (inside g (upd ts i n'))). split; [|apply tmap_in; eauto].
    pose proof (inside_upd g ts i n n' E) as U. unfold counted. destruct (imem g n) eqn:G, (imem g n'); cbn [N.b2n] in U.
    - pose proof (inside_some g ts i n E G). destruct (N.eqb_spec (N.min most (inside g ts)) 0); [exfalso; lia|cbn; lia].
    - pose proof (inside_some g ts i n E G). destruct (N.eqb_spec (N.min most (inside g ts)) 0); [exfalso; lia|]. destruct (N.eqb_spec (N.min most (inside g ts)) most); cbn; lia.
    - cbn. lia.
    - cbn. lia.
  Qed.

  (** * The same answers *)

  Section Sound.
    Context (f : form) (groups : list (list id)) (kept dropped : list tracked) (T : list step) (k0 : id).
    Let gs := groups_of groups.
    Let next := tracked_next (steps_under f) gs.
    Context (some : (1 <= most)%N) (inner : forallb (forallb (inner_node f)) groups = true).
    Context (explored : explored_steps tracked_eqb tracked_key next tracked_home kept dropped = Some T).
    Let number := number_of tracked_eqb tracked_key kept.
    Let lost := is_dropped tracked_eqb tracked_key dropped.
    Context (begins : number (tracked_first f groups) = Some k0).

    Definition seen (c : state) : tracked := (fst c, numbers_inside gs (snd c)).

    Lemma next_step g ts i n n' g' : nth_error ts i = Some n -> In ((n, g), (n', g')) (fsteps f) -> In ((n, n'), seen (g', upd ts i n')) (next (seen (g, ts))).
    Proof.
      intros E M. unfold next, tracked_next, seen. cbn [fst snd]. apply tflat_in. exists ((n, g), (n', g')). split.
      - unfold steps_under. apply found_index1, tmap_in. exists ((n, g), (n', g')). auto.
      - apply tmap_in. exists (numbers_inside gs (upd ts i n')). split; auto. now apply counted_upd.
    Qed.

    (** Requests that have not begun or are done are in no group. *)
    Lemma outside_groups k ts : k <> Inner -> all f k ts -> numbers_inside gs ts = snd (tracked_first f groups).
    Proof.
      intros K A. transitivity (map (fun _ : idset => 0%N) gs).
      - unfold numbers_inside. apply map_ext_in. intros g I. replace (inside g ts) with 0%N; [lia|]. unfold inside.
        replace (filter (imem g) ts) with (@nil id); auto. symmetry.
        destruct (filter (imem g) ts) as [|n l] eqn:F; auto. exfalso.
        assert (J : In n (filter (imem g) ts)) by (rewrite F; now left). apply filter_In in J as [J G].
        unfold all in A. rewrite Forall_forall in A. specialize (A n J).
        unfold gs, groups_of in I. rewrite rev_append_rev, app_nil_r, <- in_rev in I. apply tmap_in in I as (l0 & <- & I). apply imem_iset in G.
        rewrite forallb_forall in inner. specialize (inner l0 I). rewrite forallb_forall in inner. specialize (inner n G). unfold inner_node in inner.
        destruct (kind_of f n); congruence.
      - assert (R : forall (l : list (list id)) acc, fold_left (fun acc _ => 0%N :: acc) l acc = map (fun _ => 0%N) l ++ acc).
        { induction l as [|x l IH]; cbn [fold_left map app]; intros acc; auto. rewrite IH. clear.
          induction l; cbn [map app]; auto. now rewrite IHl. }
        unfold tracked_first, gs, groups_of. cbn [snd]. unfold tmap at 2. rewrite R, app_nil_r, rev_append_rev, app_nil_r, map_rev.
        assert (Q : forall (l : list (list id)) acc, map (fun _ : idset => 0%N) (fold_left (fun acc x => iset x :: acc) l acc) = fold_left (fun acc _ => 0%N :: acc) l (map (fun _ => 0%N) acc)).
        { induction l as [|x l IH]; cbn [fold_left]; intros acc; auto. rewrite IH. reflexivity. }
        unfold tmap. rewrite Q, R. cbn [map]. rewrite app_nil_r. clear.
        assert (Z : forall l : list (list id), rev (map (fun _ => 0%N) l) = map (fun _ => 0%N) (rev l)) by (intros; now rewrite map_rev).
        rewrite Z. assert (C : forall l m : list (list id), length l = length m -> map (fun _ : list id => 0%N) l = map (fun _ => 0%N) m).
        { induction l; destruct m; cbn; intros L; try discriminate; auto. f_equal. auto. }
        apply C. apply rev_length.
    Qed.

    Lemma not_lost c d : moves (fsteps f) c d -> all f Done (snd d) -> lost (seen c) = true -> False.
    Proof.
      induction 1 as [c|g ts i n n' g' d E M R IH]; intros D L.
      - apply (dropped_home _ tracked_eqb_eq _ _ _ _ _ T explored) in L. unfold tracked_home, seen in L. cbn [snd] in L.
        rewrite (outside_groups Done) in L; [|discriminate|exact D]. apply not_true_iff_false in L. apply L. apply forallb_forall.
        intros x I. unfold tracked_first in I. cbn [snd] in I. apply tmap_in in I as (? & <- & _). reflexivity.
      - apply IH; auto. exact (dropped_next _ tracked_eqb_eq _ _ _ _ _ T explored _ _ _ L (next_step _ _ _ _ _ _ E M)).
    Qed.

    Lemma followed c d : moves (fsteps f) c d -> all f Done (snd d) -> forall k, number (seen c) = Some k ->
      exists k', moves T (k, snd c) (k', snd d) /\ number (seen d) = Some k'.
    Proof.
      induction 1 as [c|g ts i n n' g' d E M R IH]; intros D k K; [exists k; split; auto; constructor|].
      destruct (kept_next _ tracked_eqb_eq _ _ _ _ _ T explored _ _ _ _ _ K (next_step _ _ _ _ _ _ E M)) as [L|(k1 & K1 & I)]; [destruct (not_lost _ _ R D L)|].
      destruct (IH D k1 K1) as (k' & M' & K'). exists k'. split; auto. cbn [fst snd] in *. econstructor; eauto.
    Qed.

    Lemma alone S' c d : moves S' c d -> forall n, snd c = [n] -> exists n', snd d = [n'] /\ path S' (n, fst c) (n', fst d).
    Proof.
      induction 1 as [c|g ts i n n' g' d E M R IH]; intros m Em; [exists m; split; auto; constructor|]. cbn [fst snd] in *. subst ts.
      destruct i as [|[|i]]; cbn in E; try discriminate. injection E as <-. destruct (IH n' eq_refl) as (n2 & En & P). exists n2. split; auto. econstructor; eauto.
    Qed.

    Lemma track_same : same f (Form k0 (kinds f) T).
    Proof.
      split.
      - split.
        + intros ds (ts & g & I & D & M). assert (K : number (seen (first f, ts)) = Some k0).
          { unfold seen. cbn [fst snd]. rewrite (outside_groups Initial); [exact begins|discriminate|exact I]. }
          destruct (followed _ _ M D k0 K) as (k' & M' & _). exists ts, k'. repeat split; auto.
        + intros ds (g & W). unfold Ser. cbn [first].
          enough (H : forall g0 k, number (g0, snd (tracked_first f groups)) = Some k -> walk f g0 ds g -> exists k', walk (Form k0 (kinds f) T) k ds k').
          { apply (H (first f)); auto. }
          clear W. induction ds as [|d ds IH]; intros g0 k K W; inversion W as [|? n ? g' ? ? I D P W']; subst; [eexists; constructor|].
          pose proof (moves_path _ _ _ [n] 0 P eq_refl) as M. cbn [fst snd upd] in M.
          destruct (followed _ _ M) with (k := k) as (k1 & M1 & K1); [repeat constructor; auto| |].
          { unfold seen. cbn [fst snd]. rewrite (outside_groups Initial); [exact K|discriminate|repeat constructor; auto]. }
          destruct (alone _ _ _ M1 n eq_refl) as (n1 & E1 & P1). cbn [fst snd] in *. injection E1 as <-.
          unfold seen in K1. cbn [fst snd] in K1. rewrite (outside_groups Done) in K1; [|discriminate|repeat constructor; auto].
          destruct (IH g' k1 K1 W') as (k' & Wk). exists k'. exact (walk_cons (Form k0 (kinds f) T) k n d k1 ds k' I D P1 Wk).
      - apply forward with (Rn := eq) (Rg := fun g k => exists cs, In (k, (g, cs)) (entries kept)).
        + exists (snd (tracked_first f groups)). exact (number_of_in _ tracked_eqb_eq _ _ _ _ begins).
        + intros y I. exists y. auto.
        + intros c y -> D. auto.
        + intros c y g k y' k' -> (cs & I) M. apply (explored_step _ tracked_eqb_eq _ _ _ _ _ T explored) in M as (a & [g' cs'] & Ka & Ka' & J).
          rewrite (entries_function _ _ _ _ Ka I) in J. unfold next, tracked_next in J. apply tflat_in in J as (s & Is & J). cbn [fst snd] in *.
          apply tmap_in in J as (cs2 & E & J). injection E as <- <- <- <-. unfold steps_under in Is. apply found_index1, tmap_in in Is as (s' & E & Is).
          injection E as <- <-. exists (node_after s'), (global_after s'). repeat split; eauto. apply path_one. destruct s' as [[? ?] [? ?]]. exact Is.
    Qed.
  End Sound.

  Theorem track_sound hint f groups f' : track hint f groups = Some f' -> same f f'.
  Proof.
    unfold track. destruct (_ && _) eqn:C; [|discriminate]. apply andb_true_iff in C as [L I]. apply N.leb_le in L.
    destruct (explored_steps _ _ _ _ _ _) as [T|] eqn:E; [|discriminate]. destruct (number_of _ _ _ _) as [k|] eqn:N; [|discriminate]. intros [= <-].
    eapply same_trans; [exact (track_same f groups (fst hint) (snd hint) T k L I E N)|]. apply (tidy_same (Form k (kinds f) T)). reflexivity.
  Qed.
End Track.
