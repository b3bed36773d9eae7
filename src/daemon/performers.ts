/** Everybody who carries out commands for this owner. */
import type { CooldownBook } from '../attempts/cooldown-book.ts';
import { attemptPerformer } from '../attempts/perform-attempt.ts';
import { finalizePerformer } from '../attempts/perform-finalize.ts';
import type { GatePorts } from '../attempts/perform-gate.ts';
import { gatePerformer } from '../attempts/perform-gate.ts';
import { coolPerformer, surveyPerformer } from '../attempts/perform-survey.ts';
import { UsesBook } from '../attempts/uses-book.ts';
import type { Performer } from '../engine/performer.ts';
import { keptOf } from './kept-of-attempt.ts';
import type { OwnerOptions } from './owner.ts';
import { groundOf, placesOf } from './places.ts';
import type { StateHold } from './state-hold.ts';

export function performersOf(
  options: OwnerOptions,
  hold: StateHold,
  cooldowns: CooldownBook,
): readonly Performer[] {
  const { clock, node, home } = options;
  const ground = groundOf(options);
  const outputDir = (run: string): Promise<string> => hold.outputDir(run);
  const kept: GatePorts['keptOf'] = (run, attempt) => keptOf(hold.journal, home.dir, run, attempt);
  return [
    attemptPerformer({ clock, node, placeOf: placesOf(options, ground), outputDir }),
    surveyPerformer({ clock, cooldowns, uses: new UsesBook(hold.journal) }),
    coolPerformer(cooldowns),
    gatePerformer({ ...ground, outputDir, keptOf: kept }),
    finalizePerformer({ ...ground, keptOf: kept }),
  ];
}
