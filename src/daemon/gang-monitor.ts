/** The gang monitor: where several children of one supervisor fail together, all begin again, or a person is asked. */
import type { Clock } from '../base/clock.ts';
import type { RunId } from '../base/ids.ts';
import type { Gang, GangPolicy } from '../monitors/gang.ts';
import { DEFAULT_GANG, foldGang, NO_GANG } from '../monitors/gang.ts';
import type { ChildSpec, Exit } from '../supervision/index.ts';
import { monitorChild } from './monitor-child.ts';
import { sendSignals } from './send-signals.ts';
import type { LivingAgent, Watched } from './watched.ts';
import { BoundedQueue } from '../base/bounded-queue.ts';

export type GangPorts = {
  readonly clock: Clock;
  readonly agents: Watched;
  readonly say: (note: string) => void;
  readonly log: (line: string) => void;
  readonly policy?: GangPolicy;
};

const QUEUE_MAX = 10_000;

export function gangChild(ports: GangPorts): ChildSpec {
  return monitorChild('gang', (signal) => watch(ports, signal));
}

async function watch(ports: GangPorts, signal: AbortSignal): Promise<void> {
  const failed = new BoundedQueue<RunId>(QUEUE_MAX);
  const leave = ports.agents.onExit((run: RunId, exit: Exit) => {
    // Whoever was told to leave has not failed. More than the queue holds are a gang either way.
    if (exit.kind === 'failed' || exit.kind === 'killed') failed.offer(run);
  });
  signal.addEventListener('abort', () => failed.close(), { once: true });
  if (signal.aborted) failed.close();
  const gangs = new Map<string, Gang>();
  try {
    for await (const run of failed) await judge(run, gangs, ports);
  } finally {
    leave();
  }
}

async function judge(run: RunId, gangs: Map<string, Gang>, ports: GangPorts): Promise<void> {
  const { agents, clock, log, policy = DEFAULT_GANG } = ports;
  const living = agents.living();
  const one = agents.get(run);
  if (one === undefined) return; // it has ended for good
  const places = new Set(living.map(placeOf));
  for (const place of gangs.keys()) if (!places.has(place)) gangs.delete(place);
  const place = placeOf(one);
  const { gang, failed } = foldGang(gangs.get(place) ?? NO_GANG, run, clock.elapsedMs(), policy);
  gangs.set(place, gang);
  if (failed === 0) return;
  ports.say(`${failed} below ${one.settings.supervisor} failed together`);
  // One question is enough for all of them; a restart is each one's own.
  const told =
    one.settings.cut.onGang === 'ask' ? [one] : living.filter((agent) => placeOf(agent) === place);
  for (const agent of told)
    await sendSignals(
      agent.run,
      [{ kind: 'trigger', trigger: { kind: 'gang', failed } }],
      agents,
      log,
    );
}

/** Whom they are supervised by; another project has supervisors of its own by the same names. */
function placeOf({ project, settings }: LivingAgent): string {
  return `${project}\0${settings.supervisor}`;
}
