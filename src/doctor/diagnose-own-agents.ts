/** Judges an agent that settings declare: whether its program is there, or its CLI is ready. Pure. */
import type { Finding } from '../protocol/views/diagnosis.ts';
import { diagnoseCli } from './diagnose-cli.ts';
import type { MachineFacts, OwnAgentFacts } from './machine-facts.ts';
import { AGENT_CLI_FACTS } from './supported-clis.ts';

/** A declared agent has the id of its settings, which may be the name of a CLI. */
export function diagnoseOwnAgent(agent: OwnAgentFacts, facts: MachineFacts): Finding {
  const { id, cli, model, logins, program, path, isOfProject } = agent;
  const origin = isOfProject ? 'this project' : 'your settings';
  const finding = {
    id,
    section: 'agents',
    title: id,
    gives: `The agent ${id} of ${origin}.`,
  } as const;
  const notes = [`from ${origin}`, ...(model === null ? [] : [`model ${model}`])];
  const ok = { ...finding, state: 'ok', note: notes.join('; '), get: null } as const;
  if (cli === 'scripted') return { ...ok, found: 'built in' };
  if (cli === 'custom') {
    if (path !== null) return { ...ok, found: path };
    return { ...finding, found: null, get: null, ...missingProgram(program ?? '') };
  }
  const known = AGENT_CLI_FACTS.find((one) => one.cli === cli);
  const version = facts.agents.find((one) => one.cli === cli)?.version ?? { kind: 'absent' };
  if (known === undefined)
    return {
      ...finding,
      state: 'broken',
      found: null,
      note: `no adapter can run ${cli}`,
      get: null,
    };
  const judged = diagnoseCli({ cli, version, logins }, known, facts);
  const { state, found, note, get } = judged;
  if (state === 'missing')
    return { ...finding, state, found, note: `${cli} is not installed`, get };
  const all = state === 'ok' ? [...notes, ...(note === null ? [] : [note])].join('; ') : note;
  return { ...finding, state, found: `${cli} ${found ?? ''}`.trim(), note: all, get };
}

function missingProgram(program: string): Pick<Finding, 'state' | 'note'> {
  if (program.includes('{'))
    return { state: 'limited', note: `only a run knows the place of ${program}` };
  const isOfProject = program.includes('/') && !program.startsWith('/');
  const note = isOfProject
    ? `${program} is not an executable file of this project`
    : `${program} is not installed, or not in your PATH`;
  return { state: 'missing', note };
}
