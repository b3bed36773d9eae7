/** Lets agents plan a feature, and writes its file where the user can edit it. */
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { defined } from '../../../base/defined.ts';
import { Refusal } from '../../../base/errors.ts';
import { expectedSchedule } from '../../../plan/expected-speedup.ts';
import { toGraph } from '../../../plan/feature-graph.ts';
import { parseFeature } from '../../../plan/parse-feature.ts';
import type { Feature } from '../../../protocol/feature.ts';
import { allComponents } from '../../../protocol/feature.ts';
import type { PlannedView } from '../../../protocol/views/feature-view.ts';
import type { ErrorFields } from '../../../public-json/error-document.ts';
import { simpleError } from '../../../public-json/error-document.ts';
import { slugOf } from '../../../workflow/branch-name.ts';
import { askForTrust } from '../../ask/ask-trust.ts';
import type { CliContext } from '../../cli-context.ts';
import { paint, printable } from '../../cli-context.ts';
import { connectOwner } from '../../connect-owner.ts';
import { EXIT } from '../../exit-codes.ts';
import { formatFeature } from '../../format/feature-text.ts';
import { insideProject, projectDir } from '../../input/project-path.ts';
import { printJson } from '../../json/print-json.ts';
import { EarlyInterrupt } from '../../watch/early-interrupt.ts';
import { watchRun } from '../../watch/watch-run.ts';
import { watchFeature } from './start-feature.ts';

export type PlanOptions = {
  readonly role: string;
  /** False: no role details the phases. */
  readonly lead: string | false;
  readonly id?: string;
  readonly out?: string;
  readonly capacity: number;
  readonly start: boolean;
  readonly agent?: string;
  readonly target: readonly string[];
  readonly project?: string;
  readonly set: readonly string[];
  readonly foreground: boolean;
  readonly unsafeNoSandbox: boolean;
  readonly untrusted: boolean;
  readonly json: boolean;
};

const FOLDER = 'features';

export async function planFeature(
  context: CliContext,
  task: string,
  options: PlanOptions,
): Promise<number> {
  const project = projectDir(context, options.project);
  const { role, lead, agent, set, json, capacity } = options;
  const id = await chooseId(project, options.id);
  const file = resolve(context.cwd, options.out ?? join(project, FOLDER, fileName(id, task)));
  const trust = await askForTrust(context, project, options);
  await using connection = await connectOwner(context, { ...options, creates: true });
  const { client } = connection;
  const unsafe = options.unsafeNoSandbox || undefined;
  using early = new EarlyInterrupt(context);
  const request = {
    ...{ project, task, id, planner: role, lead: lead === false ? null : lead },
    targets: options.target.map((target) => insideProject(context, project, target)),
    set: [...set],
    ...defined({ agent, unsafe }),
    ...trust,
  };
  const run = await early.during(() => client.startPlanning(request));
  // Only the plan goes to standard output.
  const shown = { ...context, out: json ? () => {} : context.err };
  const interrupts = early.handOver();
  const code = await watchRun(shown, connection, run, { json: false, interrupts });
  const planned = await client.planned(run.id);
  const { text } = planned;
  const name = shownName(context, file);
  if (text === null) return withoutPlan(context, planned, code, json);
  const feature = parseFeature(text, name);
  await writeNew(file, name, text);
  const started = options.start
    ? await client.startFeature({
        ...{ project, capacity, file: { name, text }, set: [...set] },
        ...defined({ agent, unsafe }),
        ...trust,
      })
    : undefined;
  if (json) {
    printJson(
      context,
      document(planned, feature, { capacity, name, started: started?.id ?? null }),
    );
    return EXIT.ok;
  }
  context.out(formatFeature(context, feature, capacity));
  for (const risk of planned.risks) context.out(`risk: ${printable(risk)}\n`);
  if (started === undefined) {
    context.out(`Written to ${name}. Edit it, and then: supervisor feature start ${name}\n`);
    return EXIT.ok;
  }
  context.out(`Written to ${name}. ${paint(context, 'bold', `Run ${started.id}`)} builds it.\n`);
  return await watchFeature(context, client, started.id, json);
}

/** The first id that no file of the project has. */
async function chooseId(project: string, given: string | undefined): Promise<string> {
  if (given !== undefined) {
    if (/^P\d{1,4}T\d{1,4}$/.test(given)) return given;
    throw new Refusal({
      code: 'usage.invalid',
      message: `${JSON.stringify(given)} is not the id of a feature.`,
      hint: 'Such an id has the form P1T5.',
    });
  }
  const names = await readdir(join(project, FOLDER)).catch(() => []);
  const used = new Set(names.map((name) => /^P1T(\d+)/.exec(name)?.[1]));
  let number = 1;
  while (used.has(String(number))) number += 1;
  return `P1T${number}`;
}

function fileName(id: string, task: string): string {
  return `${id}-${slugOf(task)}.yaml`;
}

/** As the user would type it. */
function shownName({ cwd }: CliContext, file: string): string {
  const short = relative(cwd, file);
  return short.startsWith('..') || isAbsolute(short) ? file : short;
}

/** A file that a person has edited is never replaced. */
async function writeNew(file: string, name: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  try {
    await writeFile(file, text, { flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new Refusal({
      code: 'usage.invalid',
      message: `The file ${name} exists already, and it is not replaced.`,
      hint: 'Name another one with --out, or another feature with --id.',
      details: { file: name },
    });
  }
}

function withoutPlan(
  context: CliContext,
  planned: PlannedView,
  code: number,
  json: boolean,
): number {
  const { run, outcome } = planned;
  const reason = outcome?.reason ?? '';
  if (json) {
    const message = `Run ${run} ended without a plan: ${reason}`;
    const error = simpleError('plan.missing', message, `To see why: supervisor why ${run}`);
    printJson(context, document(planned, null, { capacity: 1, name: null, started: null, error }));
  } else context.err(`${paint(context, 'red', 'no plan:')} ${printable(reason)}\n`);
  return code === EXIT.ok ? EXIT.failed : code;
}

type Written = {
  readonly capacity: number;
  readonly name: string | null;
  readonly started: string | null;
  readonly error?: ErrorFields;
};

function document(
  { run, feature: id, risks }: PlannedView,
  feature: Feature | null,
  { capacity, name, started, error }: Written,
): Parameters<typeof printJson>[1] {
  const speedup = feature === null ? 1 : expectedSchedule(toGraph(feature), capacity).speedup;
  return {
    schema: 'supervisor.planned-feature/1',
    ...{ run_id: run, feature: id, file: name },
    phases: feature?.phases.length ?? 0,
    components: feature === null ? 0 : allComponents(feature).length,
    expected_speedup: Math.round(speedup * 100) / 100,
    runs_serially: feature !== null && speedup === 1,
    risks: [...risks],
    started_run_id: started,
    error: error ?? null,
  };
}
