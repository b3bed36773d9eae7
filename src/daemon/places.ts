/** Where the attempts of one owner happen. Which sandbox holds here is found out once, when it is first needed. */
import type { SetupPlacePorts } from '../attempts/setup-place.ts';
import type { PlaceOf } from '../attempts/place.ts';
import { barePlace } from '../attempts/place.ts';
import type { ContainedPorts } from '../attempts/contained-place.ts';
import { containedPlace } from '../attempts/contained-place.ts';
import { gatewayProgram } from '../attempts/gateway-program.ts';
import { CallSlots } from '../gateway/call-slots.ts';
import { machineNetwork } from '../gateway/machine-network.ts';
import { GatewayProcesses } from '../gateway/process/gateway-processes.ts';
import { neverBare } from '../attempts/run-agents.ts';
import { writeFileAtomic } from '../host/files.ts';
import { readTextFile } from '../host/read-text-file.ts';
import { which } from '../host/which.ts';
import type { Choice, Wish } from '../sandbox/choose-backend.ts';
import { canaryMemory, chooseBackend } from '../sandbox/choose-backend.ts';
import { probeFacts } from '../sandbox/probe-facts.ts';
import { noteEngines } from './engines-used.ts';
import type { OwnerOptions } from './owner-options.ts';
import type { Pauses } from './pauses.ts';
import { tagOfOwner } from './state-hold.ts';
import type { WorkspacePorts } from '../workspace/workspace.ts';

const MEMORY_BYTES_MAX = 65_536;

type SharedByPlaces = Pick<ContainedPorts, 'pursesOf' | 'outputDir' | 'onDeed' | 'gateways'> & {
  readonly pauses: Pauses;
};

export type Ground = Omit<SetupPlacePorts, 'keptBefore'>;

/** What everything that runs in a place of ours stands on, found out once for each owner. */
export function groundOf(options: OwnerOptions): Ground {
  const { home, ownerId, clock, luck, agentEnv, env } = options;
  const tag = tagOfOwner(options);
  const facts = once(() => probeFacts(env));
  return {
    clock,
    luck,
    stateDir: home.dir,
    homeId: home.id,
    placeIdOf: (run, key) => `${home.id}/${ownerId}/${run}/${key}`,
    userDir: userDirOf(options),
    env: agentEnv,
    facts,
    git: gitOf(options),
    tagOf: (run, key) => `${tag}/${run}/${key}`,
    choose: chooser(options, tag, facts),
    socketDir: home.socketDir,
    ownerEnv: env,
    network: machineNetwork,
  };
}

/** The processes in which the gateways of one owner run. */
export function gatewaysOf(options: OwnerOptions): GatewayProcesses {
  const { clock, node, env } = options;
  const tag = tagOfOwner(options);
  return new GatewayProcesses({
    clock,
    node,
    main: gatewayProgram,
    tagOf: (nth) => `${tag}/gateway/${nth}`,
    env,
  });
}

/** Programs of ours run bare, and whatever a user wants to have without walls; all others are contained. */
export function placesOf(
  ground: SetupPlacePorts,
  { pauses, pursesOf, outputDir, onDeed, gateways }: SharedByPlaces,
): PlaceOf {
  const slots = new Map<string, CallSlots>();
  return async (order, input, note) => {
    const isBare = input.agent.cli === 'scripted' || input.unsafe === true;
    if (isBare && input.agent.fromProject === true) throw neverBare(input.agent.id);
    if (isBare) return barePlace(order, input, ground);
    return containedPlace(order, input, note, {
      ...ground,
      facts: ground.facts(),
      pursesOf,
      outputDir,
      gateways,
      ...(onDeed === undefined ? {} : { onDeed }),
      unpaused: (run, signal) => pauses.wait(run, signal),
      slotsOf: (project, callsMax) => {
        const own = slots.get(project) ?? new CallSlots(callsMax);
        slots.set(project, own);
        return own;
      },
    });
  };
}

/** The user's home; where none is named, our own stands for it. */
export function userDirOf({ agentEnv, home }: OwnerOptions): string {
  return agentEnv['HOME'] ?? home.dir;
}

export function gitOf({ agentEnv }: OwnerOptions): string {
  return which('git', agentEnv) ?? '/usr/bin/git';
}

/** For all that is done to workspaces outside of a run. */
export function workspacePortsOf(options: OwnerOptions): WorkspacePorts {
  const { clock } = options;
  return {
    git: gitOf(options),
    clock,
    tag: tagOfOwner(options),
    userHome: userDirOf(options),
  };
}

/** A choice is remembered; that there is none is not, since the user may do something about it. */
function chooser(
  options: OwnerOptions,
  tag: string,
  facts: () => ReturnType<typeof probeFacts>,
): (wish: Wish) => Promise<Choice> {
  const { clock, luck, home, version } = options;
  const file = `${home.dir}/sandbox.json`;
  const memory = canaryMemory(
    () => readTextFile(file, MEMORY_BYTES_MAX),
    (text) => writeFileAtomic(file, text),
  );
  const chosen = new Map<string, Promise<Choice>>();
  let tries = 0;
  return (wish) => {
    const name = JSON.stringify(wish);
    const before = chosen.get(name);
    if (before !== undefined) return before;
    const noted = noteEngines(home, wish);
    const choice = noted.then(() =>
      chooseBackend(wish, {
        clock,
        luck,
        facts: facts(),
        precious: { userDir: userDirOf(options), stateDir: home.dir },
        // Of several that are tried at once, the end of one must not end another.
        tag: `${tag}/sandbox/${(tries += 1)}`,
        release: version,
        memory,
      }),
    );
    chosen.set(name, choice);
    choice.catch(() => chosen.delete(name));
    return choice;
  };
}

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
}
