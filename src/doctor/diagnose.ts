/** Turns the facts about a machine into a diagnosis. Pure: the same facts give the same diagnosis. */
import type { Diagnosis, Finding } from '../protocol/views/diagnosis.ts';
import { diagnoseAgents } from './diagnose-agents.ts';
import { diagnoseRuntime } from './diagnose-runtime.ts';
import { diagnoseSandbox } from './diagnose-sandbox.ts';
import { diagnoseState } from './diagnose-state.ts';
import type { MachineFacts } from './machine-facts.ts';

/** Without these nothing runs. Everything else only limits what runs. */
const REQUIRED = new Set(['node', 'sqlite', 'state-folder', 'disk', 'journal']);

/** `runnable` are the CLIs that this release can run. */
export function diagnose(
  facts: MachineFacts,
  runnable: readonly string[] = ['scripted'],
): Diagnosis {
  const findings = [
    ...diagnoseRuntime(facts),
    ...diagnoseSandbox(facts),
    ...diagnoseAgents(facts, runnable),
    ...diagnoseState(facts),
  ];
  const ids = (isWanted: (finding: Finding) => boolean): string[] =>
    findings.filter(isWanted).map(({ id }) => id);
  const blockers = ids(({ id, state }) => REQUIRED.has(id) && state === 'broken');
  const [sandbox = null] = ids(({ section, state }) => section === 'sandbox' && state === 'ok');
  const ready = ids(({ section, state }) => section === 'agents' && state === 'ok');
  return {
    findings,
    verdict: {
      canRun: blockers.length === 0,
      blockers,
      sandbox,
      ready,
      runnable: ready.filter((cli) => runnable.includes(cli)),
      suggestion: suggest(findings, blockers, runnable),
    },
  };
}

type Suggestion = Diagnosis['verdict']['suggestion'];

/** The command to try next on this machine. */
function suggest(
  findings: readonly Finding[],
  blockers: readonly string[],
  runnable: readonly string[],
): Suggestion {
  const blocker = findings.find(({ id }) => id === blockers[0]);
  if (blocker !== undefined) {
    const [command] = blocker.get ?? [];
    const because = `${blocker.title}: ${blocker.note ?? 'does not work'}.`;
    return command === undefined ? null : { because, command };
  }
  const ready = findings.filter(
    ({ section, state, id }) => section === 'agents' && state === 'ok' && id !== 'scripted',
  );
  const best = ready.find(({ id }) => runnable.includes(id));
  if (best !== undefined)
    return { because: `You have ${best.title} ${best.found}.`, command: tryWith(best.id) };
  if (runnable.includes('scripted')) {
    const [first] = ready;
    const because =
      first === undefined
        ? 'No agent CLI is ready. You can try the scripted agent, which needs none.'
        : `You have ${first.title} ${first.found}, but this release runs only ${runnable.join(', ')}.`;
    return { because, command: tryWith('scripted') };
  }
  const missing = findings.find(({ id, get }) => runnable.includes(id) && get !== null);
  const [command] = missing?.get ?? [];
  if (missing === undefined || command === undefined) return null;
  return { because: `No agent is ready yet. You can install ${missing.title}.`, command };
}

function tryWith(agent: string): string {
  return `supervisor run "Say hello in hello.txt" --agent ${agent}`;
}
