/** Everything that an owner can do for a run, put together from the rooms. */
import type { CooldownBook } from '../attempts/cooldown-book.ts';
import { attemptPerformer } from '../attempts/perform-attempt.ts';
import { finalizePerformer } from '../attempts/perform-finalize.ts';
import { gatePerformer } from '../attempts/perform-gate.ts';
import { setupPerformer } from '../attempts/perform-setup.ts';
import { coolPerformer, surveyPerformer } from '../attempts/perform-survey.ts';
import type { OnDeed } from '../attempts/sightings.ts';
import { UsesBook } from '../attempts/uses-book.ts';
import type { RunId } from '../base/ids.ts';
import type { Performer } from '../engine/performer.ts';
import type { GatewayProcesses } from '../gateway/process/gateway-processes.ts';
import { putPerformer, takePerformer } from '../lifecycle/perform-queue.ts';
import { spreadPerformer } from '../lifecycle/perform-spread.ts';
import { tellPerformer } from '../lifecycle/perform-tell.ts';
import type { Signal } from '../protocol/event.ts';
import { BriefDesk } from './brief-desk.ts';
import { keptBefore, keptOf } from './kept-of-attempt.ts';
import type { OwnerOptions } from './owner-options.ts';
import { parentOf } from './parent-of.ts';
import type { Pauses } from './pauses.ts';
import type { Ground } from './places.ts';
import { placesOf } from './places.ts';
import type { PurseBook } from './purse-book.ts';
import { secretsOf } from './settings-for.ts';
import type { StateHold } from './state-hold.ts';

export type PerformerPorts = {
  readonly ground: Ground;
  readonly cooldowns: CooldownBook;
  readonly pauses: Pauses;
  readonly purses: PurseBook;
  readonly gateways: GatewayProcesses;
  /** Resolves when it is durable. */
  readonly signal: (run: RunId, signal: Signal) => Promise<void>;
  /** The others of an agent's gang. */
  readonly siblingsOf: (run: RunId) => readonly RunId[];
  readonly onDeed: OnDeed;
};

export function performersOf(
  options: OwnerOptions,
  hold: StateHold,
  {
    ground: owned,
    cooldowns,
    pauses,
    purses,
    gateways,
    signal,
    siblingsOf,
    onDeed,
  }: PerformerPorts,
): readonly Performer[] {
  const { clock, node, home } = options;
  const ground = {
    ...owned,
    keptBefore: (run: RunId) => keptBefore(hold.journal, home.dir, run),
  };
  const outputDir = (run: string): Promise<string> => hold.outputDir(run);
  const pursesOf = purses.of;
  const common = {
    ...ground,
    outputDir,
    keptOf: keptOf(hold.journal, home.dir),
  };
  return [
    attemptPerformer({
      ...common,
      node,
      placeOf: placesOf(ground, { pauses, pursesOf, outputDir, onDeed, gateways }),
      onDeed,
      secretsOf: (agent) => secretsOf(options, agent),
      readBrief: (hash) => new BriefDesk(options, owned).read(hash),
    }),
    setupPerformer(common),
    gatePerformer(common),
    finalizePerformer(common),
    surveyPerformer({ clock, cooldowns, uses: new UsesBook(hold.journal) }),
    coolPerformer(cooldowns),
    takePerformer({ clock }),
    putPerformer(),
    spreadPerformer({ clock, signal, siblingsOf }),
    tellPerformer({ clock, signal, parentOf: (run) => parentOf(hold.journal, run) }),
  ];
}
