/** The gang monitor: where several children of one supervisor fail together, all begin again, or a person is asked. */
import { BoundedQueue } from '../base/bounded-queue.ts';
import type { Clock } from '../base/clock.ts';
import type { RunId } from '../base/ids.ts';
import type { Gang, GangPolicy } from '../monitors/gang.ts';
import { DEFAULT_GANG, foldGang, NO_GANG } from '../monitors/gang.ts';
import { GANG_CHOICES } from '../monitors/triggers.ts';
import type { Signal } from '../protocol/event.ts';
import type { ChildSpec, Exit } from '../supervision/index.ts';
import { monitorChild, together } from './monitor-child.ts';
import { sendSignals } from './send-signals.ts';
import type { LivingAgent, Watched } from './watched.ts';

export type GangPorts = {
  readonly clock: Clock;
  readonly agents: Watched;
  /** What people answer from now on, whoever asked. */
  readonly answers: (signal: AbortSignal) => AsyncIterable<Answer>;
  readonly say: (note: string) => void;
  readonly log: (line: string) => void;
  readonly policy?: GangPolicy;
};

export type Answer = { readonly run: RunId; readonly answer: string };

const QUEUE_MAX = 10_000;

export function gangChild(ports: GangPorts): ChildSpec {
  return monitorChild('gang', (signal) =>
    together(
      signal,
      (until) => watch(ports, until),
      (until) => hearAnswers(ports, until),
    ),
  );
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
  const one = agents.get(run);
  if (one === undefined) return; // it has ended for good
  const living = agents.living();
  const places = new Set(living.map(placeOf));
  for (const place of gangs.keys()) if (!places.has(place)) gangs.delete(place);
  const place = placeOf(one);
  const { gang, failed } = foldGang(gangs.get(place) ?? NO_GANG, run, clock.elapsedMs(), policy);
  gangs.set(place, gang);
  if (failed === 0) return;
  ports.say(`${failed} below ${one.settings.supervisor} failed together`);
  // One question is enough for all of them; a restart is each one's own.
  const told = one.settings.cut.onGang === 'ask' ? [one] : [one, ...siblingsOf(one, agents)];
  for (const agent of told)
    await sendSignals(
      agent.run,
      [{ kind: 'trigger', trigger: { kind: 'gang', failed } }],
      agents,
      log,
    );
}

/** Who was asked does as it was told; its siblings hear of it from us. */
async function hearAnswers(ports: GangPorts, signal: AbortSignal): Promise<void> {
  const { agents, log } = ports;
  for await (const { run, answer } of ports.answers(signal)) {
    const signals = spread(answer);
    const one = signals.length === 0 ? undefined : agents.get(run);
    if (one === undefined) continue;
    for (const sibling of siblingsOf(one, agents))
      await sendSignals(sibling.run, signals, agents, log);
  }
}

function spread(answer: string): readonly Signal[] {
  const [restartAll, stopAll] = GANG_CHOICES;
  if (answer === restartAll)
    return [{ kind: 'trigger', trigger: { kind: 'gang', failed: 0, decided: true } }];
  return answer === stopAll
    ? [
        {
          kind: 'dismiss',
          because: 'Several below its supervisor failed together, and a person ended all of them.',
        },
      ]
    : [];
}

function siblingsOf(one: LivingAgent, agents: Pick<Watched, 'living'>): readonly LivingAgent[] {
  return agents
    .living()
    .filter((agent) => agent.run !== one.run && placeOf(agent) === placeOf(one));
}

/** Whom they are supervised by; another project has supervisors of its own by the same names. */
function placeOf({ project, settings }: LivingAgent): string {
  return `${project}\0${settings.supervisor}`;
}
