/** Which gates run next on the work of the last attempt: one, or several that may run side by side. */
import { commandKey } from '../../base/ids.ts';
import type { Move } from '../../engine/program.ts';
import type { GateInput } from '../../protocol/contracts/gate-contract.ts';
import type { AttemptsState, OpenAttemptCommand } from '../attempts-state.ts';
import { lastAttempt } from '../attempts-state.ts';
import { redDependency } from './gate-ended.ts';
import { knownRed } from './known-red.ts';
import { placesSideBySide } from './side-by-side.ts';

/** Empty: no attempt has reported to be done, one of its gates is red, or all have a result. */
export function gateMoves(
  state: AttemptsState,
  prepared: Pick<GateInput, 'setupKey'>,
): readonly Move[] {
  const { settings, project } = state;
  const last = lastAttempt(state);
  if (last?.kind !== 'completed' || last.redGate !== null) return [];
  const known = knownRed(state, last);
  const places = known === undefined ? nextPlaces(state) : [known.place];
  // Each key is used once.
  const again = state.gateInterruptions === 0 ? '' : `.${state.gateInterruptions + 1}`;
  return places.flatMap((place): readonly Move[] => {
    const gate = settings.gates?.[place];
    if (gate === undefined) return [];
    const input: GateInput = {
      ...gate,
      project,
      attempt: last.number,
      sandbox: settings.sandbox,
      unsafe: settings.unsafe === true,
      ...prepared,
      ...(known === undefined ? skippedGate(state, place) : { known }),
    };
    const key = commandKey(`gate-${last.number}-${place}${again}`);
    return [{ kind: 'perform', key, command: 'gate', input }];
  });
}

/** Those of the next gates that have no result yet. */
function nextPlaces({ settings, green, aside = [] }: AttemptsState): readonly number[] {
  return placesSideBySide(settings.gates ?? [], green).filter(
    (place) => !aside.some((one) => one.place === place),
  );
}

/** A gate that depends on a red one is not run. */
function skippedGate(state: AttemptsState, place: number): Pick<GateInput, 'skippedFor'> {
  const because = redDependency({ ...state, green: place });
  const name = because && state.settings.gates?.[because.place]?.name;
  return name === undefined ? {} : { skippedFor: name };
}

/** The open command, or all gates that run side by side. */
export function openCommands(
  { openGates = [] }: Pick<AttemptsState, 'openGates'>,
  open: OpenAttemptCommand,
): readonly OpenAttemptCommand[] {
  if (open.command !== 'gate' || openGates.length < 2) return [open];
  return openGates.map((key) => ({ ...open, key }));
}
