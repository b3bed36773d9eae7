/** Collects what `supervisor init` proposes for a project: agents, setup, gates and role packs. Changes nothing. */
import { describeCommand } from '../../base/shell-words.ts';
import { userHomeFolder } from '../../host/machine/account-home.ts';
import { loadSettings } from '../../config/load-settings.ts';
import type { DetectedCommands } from '../../detection/detect-commands.ts';
import { detectCommands } from '../../detection/detect-commands.ts';
import { withFreeNames } from '../../detection/free-gate-names.ts';
import { readListing } from '../../detection/read-listing.ts';
import { diagnose } from '../../doctor/diagnose.ts';
import { probeMachine } from '../../doctor/probe-machine.ts';
import { PREFERRED_CLIS } from '../../doctor/supported-clis.ts';
import { readTextFile } from '../../host/files/read-text-file.ts';
import type { Finding } from '../../protocol/views/diagnosis.ts';
import { detectProject } from '../../roles/detect-project.ts';
import type { Detected } from '../../roles/detect-project.ts';
import type { Settings } from '../../settings/settings.ts';
import type { CliContext } from '../cli-context.ts';
import { paint, printable } from '../cli-context.ts';
import { stateHome } from '../connect-owner.ts';
import { hostFacts } from '../host-facts.ts';

export type InitProposal = {
  readonly project: string;
  readonly detected: Detected;
  readonly commands: DetectedCommands;
  /** The user's own agents, then all CLIs that this release runs, in the order in which a run prefers them. */
  readonly agents: readonly Finding[];
  /** The ids of the agents that the user's own settings declare. */
  readonly own: readonly string[];
  /** Those of `agents` that are ready: installed, and logged in if they need a login. */
  readonly chain: readonly string[];
};

export async function proposeFor(context: CliContext, project: string): Promise<InitProposal> {
  const home = stateHome(context).dir;
  const { settings } = await loadSettings({
    home,
    userDir: userHomeFolder(),
    readFile: readTextFile,
  });
  const [listing, facts] = await Promise.all([
    readListing(project),
    probeMachine({ ...hostFacts(context), project, declared: settings.agents }),
  ]);
  const { findings } = diagnose(facts);
  const own = ownOrder(settings);
  const agents = [...new Set([...own, ...PREFERRED_CLIS])].flatMap((wanted) =>
    findings.filter(({ section, id }) => section === 'agents' && id === wanted),
  );
  const commands = detectCommands(listing);
  const taken = settings.gates.map(({ name }) => name);
  return {
    project,
    detected: detectProject(listing),
    commands: { ...commands, gates: withFreeNames(commands.gates, taken) },
    agents,
    own,
    chain: agents.filter(({ state }) => state === 'ok').map(({ id }) => id),
  };
}

/** As in a run that names no agent: the default agent of the user is first. */
function ownOrder({ agents, defaultAgent }: Settings): readonly string[] {
  const ids = agents.map(({ id }) => id as string);
  return ids.toSorted((a, b) => Number(b === defaultAgent) - Number(a === defaultAgent));
}

/** A few lines for a person: what was found, and where. */
export function formatProposal(context: CliContext, proposal: InitProposal): string {
  const { project, detected, commands, agents, own } = proposal;
  const kinds = detected.names.length === 0 ? '' : ` (${detected.names.join(', ')})`;
  const { setup, gates, notes } = commands;
  const isAbsent = ({ id, state }: Finding): boolean => state === 'missing' && !own.includes(id);
  const installed = agents.filter((agent) => !isAbsent(agent));
  const missing = agents.filter(isAbsent).map(({ id }) => id);
  const agentRows = installed.map(({ id, state, found, note, get }) =>
    state === 'ok'
      ? row(id, own.includes(id) ? `${found ?? ''}, from your settings` : (found ?? ''))
      : row(
          id,
          `not used: ${note ?? state}${get === null ? '' : `. Fix it with: ${get.join(' && ')}`}`,
        ),
  );
  const absent =
    missing.length === 0 ? [] : [paint(context, 'dim', `not installed: ${missing.join(', ')}`)];
  return [
    ...section(context, 'Project', [`${printable(project)}${kinds}`]),
    ...section(context, 'Agents', [...agentRows, ...absent]),
    ...section(context, 'Setup', [
      setup === null
        ? 'none needed, as far as the files tell'
        : printable(describeCommand(setup.command)),
    ]),
    ...section(
      context,
      'Gates',
      gates.length === 0
        ? ['none found: runs end unverified until you add one']
        : gateRows(context, gates),
    ),
    ...section(context, 'Notes', notes),
  ].join('');
}

const NAME_WIDTH = 10;
const TITLE_WIDTH = 9;

/** Each gate with the file it was found in: beside its command, or below if that is too wide. */
function gateRows(
  context: CliContext,
  gates: InitProposal['commands']['gates'],
): readonly string[] {
  const commands = gates.map(({ command }) => printable(describeCommand(command)));
  const width = Math.max(...commands.map(({ length }) => length));
  const whyWidth = Math.max(...gates.map(({ why }) => printable(why).length));
  const indent = TITLE_WIDTH + NAME_WIDTH + 1;
  const fits = indent + width + 2 + whyWidth <= context.terminal.width;
  return gates.flatMap(({ name, why }, nth) => {
    const command = commands[nth] ?? '';
    const reason = paint(context, 'dim', printable(why));
    return fits
      ? [row(name, `${command.padEnd(width)}  ${reason}`)]
      : [row(name, command), row('', reason)];
  });
}

function row(name: string, text: string): string {
  return `${printable(name).padEnd(NAME_WIDTH)} ${text}`;
}

function section(context: CliContext, title: string, rows: readonly string[]): readonly string[] {
  return rows.map((text, nth) => {
    const head = nth === 0 ? title.padEnd(TITLE_WIDTH) : ' '.repeat(TITLE_WIDTH);
    return `${paint(context, 'bold', head)}${text}\n`;
  });
}
