/** This machine and the owner, as scripts read them: doctor, agents, sandbox check, owner, up, down, version. */
import { z } from 'zod';
import type { OwnerView } from '../protocol/api.ts';
import type { DashboardLink, EndedAccess } from '../protocol/dashboard-access.ts';
import { DashboardRole } from '../protocol/dashboard-access.ts';
import type { DeclaredAgents } from '../protocol/views/agent-view.ts';
import type { Diagnosis, Finding } from '../protocol/views/diagnosis.ts';
import { FindingSection, FindingState } from '../protocol/views/diagnosis.ts';
import type { Preflight } from '../protocol/views/preflight-view.ts';
import { PreflightState } from '../protocol/views/preflight-view.ts';
import { documentSchema, field, runId, time, toIso } from './document.ts';
import type { ErrorFields } from './error-document.ts';
import { commandError, errorCode, simpleError } from './error-document.ts';

const FindingRow = z.strictObject({
  id: z.string(),
  section: FindingSection,
  title: z.string(),
  state: FindingState,
  found: field(z.string().nullable(), 'A version, a path, the source of a login: never a secret.'),
  note: z.string().nullable(),
  gives: field(z.string(), 'What it gives, or would give.'),
  install_commands: field(
    z.array(z.string()).nullable(),
    'The commands that install or fix it, in order. Null: no command does.',
  ),
});

function findingOf({ id, section, title, state, found, note, gives, get }: Finding) {
  return { id, section, title, state, found, note, gives, install_commands: get };
}

export const DoctorDocument = documentSchema('doctor', 'What this machine has and lacks.', {
  can_run: z.boolean(),
  blockers: field(z.array(z.string()), 'The findings that keep it from running.'),
  sandbox: field(z.string().nullable(), 'The sandbox that passed its trial. Null: none did.'),
  ready_agents: field(z.array(z.string()), 'Installed, new enough and logged in.'),
  suggestion: z.strictObject({ reason: z.string(), command: z.string() }).nullable(),
  findings: z.array(FindingRow),
  error: commandError,
});

export function doctorDocument({ findings, verdict }: Diagnosis): z.infer<typeof DoctorDocument> {
  const { canRun, blockers, sandbox, ready, suggestion } = verdict;
  return {
    schema: 'supervisor.doctor/1',
    can_run: canRun,
    blockers,
    sandbox,
    ready_agents: ready,
    suggestion:
      suggestion === null ? null : { reason: suggestion.because, command: suggestion.command },
    findings: findings.map(findingOf),
    error: canRun
      ? null
      : simpleError(
          'machine.not-ready',
          `Supervisor can't run on this machine: ${blockers.join(', ')}.`,
          suggestion?.command ?? null,
        ),
  };
}

export const AgentClisDocument = documentSchema('agents', 'The agent CLIs of this machine.', {
  agents: z.array(FindingRow),
});

export function agentClisDocument(all: readonly Finding[]): z.infer<typeof AgentClisDocument> {
  return { schema: 'supervisor.agents/1', agents: all.map(findingOf) };
}

export const AgentsCheckDocument = documentSchema(
  'agents-check',
  'Whether the installed CLIs behave as Supervisor expects.',
  {
    checks: z.array(
      z.strictObject({
        cli: z.string(),
        differences: field(z.array(z.string()), 'Empty: it behaves as expected.'),
      }),
    ),
    error: commandError,
  },
);

export function agentsCheckDocument(
  checks: readonly { readonly cli: string; readonly drift: readonly string[] }[],
): z.infer<typeof AgentsCheckDocument> {
  const differing = checks.filter(({ drift }) => drift.length > 0);
  return {
    schema: 'supervisor.agents-check/1',
    checks: checks.map(({ cli, drift }) => ({ cli, differences: [...drift] })),
    error:
      differing.length === 0
        ? null
        : simpleError(
            'agent.differs',
            differing.map(({ cli, drift }) => `${cli}: ${drift.join('; ')}`).join('. '),
            'Install the version that is tested. To see it: supervisor doctor',
          ),
  };
}

export const SandboxCheckDocument = documentSchema('sandbox-check', 'Tests of the sandboxes.', {
  reports: z.array(
    z.strictObject({
      backend: z.string(),
      enforced: field(
        z.record(z.string(), z.string()).nullable(),
        'Which mechanism enforces each limit.',
      ),
      failure: field(z.string().nullable(), 'Why the sandbox could not be created.'),
      connections_seen: field(z.int(), 'Connections that reached our listeners. 0 if it works.'),
      secret_seen: z.boolean(),
      probes: z.array(
        z.strictObject({
          id: z.string(),
          area: z.string(),
          tries: z.string(),
          expected: z.enum(['refused', 'works']),
          found: z.enum(['refused', 'works', 'unknown']),
          verdict: field(
            z.enum(['good', 'bad', 'unknown', 'known']),
            'known: it differs for a reason that is known and accepted.',
          ),
          note: z.string(),
        }),
      ),
    }),
  ),
  skipped: z.array(z.strictObject({ backend: z.string(), reason: z.string() })),
  error: commandError,
});

const Owner = z.strictObject({
  pid: z.int(),
  version: z.string(),
  protocol: field(z.int(), 'The version of the internal interface between commands and owner.'),
  started_at: time,
  home: z.string(),
  active_runs: z.int(),
  open_commands: z.int(),
  api_url: field(z.string().nullable(), 'Where it answers besides its socket.'),
  stays_when_idle: z.boolean(),
  defects: z.array(
    z.strictObject({
      run_id: runId,
      message: z.string(),
      damaged: field(z.boolean(), 'A fact of the run is damaged.'),
    }),
  ),
});

export const OwnerDocument = documentSchema('owner', 'The owner process.', {
  owner: field(Owner.nullable(), 'Null: none is running.'),
  started_agents: field(
    z.array(z.strictObject({ run_id: runId, name: z.string() })),
    'The declared agents that `up` has started.',
  ),
});

export function ownerDocument(
  view: OwnerView | null,
  { started }: Pick<DeclaredAgents, 'started'> = { started: [] },
): z.infer<typeof OwnerDocument> {
  return {
    schema: 'supervisor.owner/1',
    owner: view === null ? null : ownerOf(view),
    started_agents: started.map(({ run, name }) => ({ run_id: run, name })),
  };
}

export const OwnerServiceDocument = documentSchema(
  'owner-service',
  'A file that keeps the owner running.',
  {
    manager: z.enum(['systemd', 'launchd']),
    path: field(z.string(), 'Where the file belongs. ~ is your home folder.'),
    text: z.string(),
    start: field(z.array(z.string()), 'The commands that save the file and start the owner.'),
    stop: field(z.string(), 'The command that stops the owner for good.'),
    keys: field(z.string(), 'How a run has its keys after a restart of the machine.'),
  },
);

export function serviceDocument(
  file: Omit<z.infer<typeof OwnerServiceDocument>, 'schema' | 'start'> & {
    readonly start: readonly string[];
  },
): z.infer<typeof OwnerServiceDocument> {
  return { schema: 'supervisor.owner-service/1', ...file, start: [...file.start] };
}

function ownerOf(view: OwnerView): z.infer<typeof Owner> {
  return {
    pid: view.pid,
    version: view.version,
    protocol: view.protocol,
    started_at: toIso(view.startedAt),
    home: view.home,
    active_runs: view.runs,
    open_commands: view.commands,
    api_url: view.api,
    stays_when_idle: view.staysWhenIdle,
    defects: view.defects.map(({ run, message, damaged = false }) => ({
      run_id: run,
      message,
      damaged,
    })),
  };
}

export const DashboardDocument = documentSchema('dashboard', 'Access to the dashboard.', {
  url: field(
    z.string().nullable(),
    'Opens it once, and gives a browser access. Null: all access was ended.',
  ),
  role: field(
    z.enum([...DashboardRole.options, 'question']).nullable(),
    'operator decides, read-only looks, question shows and decides one question.',
  ),
  expires_at: time.nullable(),
  ended: field(
    z.strictObject({ sessions: z.int(), links: z.int() }).nullable(),
    'The browsers and links whose access was ended. Null: none was.',
  ),
});

export function dashboardDocument(
  link: DashboardLink | null,
  ended: EndedAccess | null,
): z.infer<typeof DashboardDocument> {
  return {
    schema: 'supervisor.dashboard/1',
    url: link?.url ?? null,
    role: link?.role ?? null,
    expires_at: link === null ? null : toIso(link.expiresAt),
    ended,
  };
}

export const DownDocument = documentSchema('down', 'The end of the owner.', {
  ended: field(z.boolean(), 'False: no owner was running.'),
  run_ids: field(z.array(runId), 'The runs that were active. They wait for the next owner.'),
});

export const JournalCopyDocument = documentSchema(
  'journal-copy',
  'A journal that was exported to a file, or imported from one.',
  {
    facts: z.number().int(),
    file: z.string(),
    journal: field(z.string(), 'Where the journal is: a file, or a database without its password.'),
  },
);

export const VersionDocument = documentSchema('version', 'The version of Supervisor.', {
  version: z.string(),
});

export const SchemasDocument = documentSchema('schemas', 'The names of all JSON Schemas.', {
  schemas: z.array(z.strictObject({ name: z.string(), description: z.string() })),
});

export const PreflightDocument = documentSchema('preflight', 'What a run would need.', {
  ok: field(z.boolean(), 'No check has failed. There may be warnings.'),
  checks: z.array(
    z.strictObject({
      id: field(z.string(), 'settings, sandbox, agent:main, gate:npm test …'),
      title: z.string(),
      state: PreflightState,
      message: field(z.string(), 'What was found, or what is wrong. Never a secret.'),
      remedy: z.string().nullable(),
      code: field(errorCode.nullable(), 'The code of the error that a run would end with.'),
    }),
  ),
  error: commandError,
  exit_code: field(z.int(), 'The exit code of the command: 0 if a run could begin.'),
});

/** `error`: why a run could not begin. */
export function preflightDocument(
  { ok, checks }: Preflight,
  error: ErrorFields | null,
  exitCode: number,
): z.infer<typeof PreflightDocument> {
  return {
    schema: 'supervisor.preflight/1',
    ok,
    checks: checks.map(({ id, title, state, words, hint, code }) => ({
      id,
      title,
      state,
      message: words,
      remedy: hint,
      code,
    })),
    error,
    exit_code: exitCode,
  };
}
