/** A feature in the small world of the workflow performers, and the commands of its merge queue. */
import type { Clock } from '../../src/base/clock.ts';
import type { Performer } from '../../src/engine/performer.ts';
import type {
  MergeWorkInput,
  MergeWorkResult,
  WriteInterfacesInput,
  WriteInterfacesResult,
} from '../../src/protocol/contracts/merge-contract.ts';
import type { FeatureSubmission } from '../../src/protocol/run-submission.ts';
import { featureSubmission } from './feature-world.ts';
import { loosePerformer } from './run-event.ts';
import { TIP, inOther } from './workflow-performers.ts';

const PHASES = `  - id: one
    interfaces: [{ file: t.d.ts, definition: 'export type T = 1;' }, { file: u.d.ts, definition: 'export type U = 1;' }]
    components: [{ id: a, files: [a.txt], uses: [t.d.ts] }, { id: b, files: [b.txt], uses: [u.d.ts] }]
  - { id: two, components: [{ id: c, files: [c.txt] }] }`;

/**
 * `a` asks for another interface and starts again. The gate is red on the first work of `b`, and that of `c` is in conflict.
 */
export function smallFeature(task: string, interruptionsMax: number): FeatureSubmission {
  const submission = featureSubmission({ phases: PHASES, capacity: 2 });
  return { ...submission, task, settings: { ...submission.settings, interruptionsMax } };
}

const PROJECTS = `  api: { path: . }
  web: { path: ../web, depends_on: [api] }`;

const SPANNING = `  - id: one
    interfaces: [{ file: t.d.ts, definition: 'export type T = 1;' }]
    components: [{ id: a, files: [a.txt], project: api }, { id: b, files: [b.txt], project: web, uses: [] }]
  - { id: two, components: [{ id: c, files: [a.txt], project: web, uses: [t.d.ts] }, { id: d, files: [a.txt], project: api }] }`;

/**
 * Two projects, each with its own merge queue. `a` asks for another interface, which both projects have, `b` is red once,
 * and `c` is in conflict.
 */
export function spanningFeature(task: string, interruptionsMax: number): FeatureSubmission {
  const submission = featureSubmission({ projects: PROJECTS, phases: SPANNING, capacity: 3 });
  const { settings } = submission;
  const projects = Object.entries(settings.feature.projects ?? {}).map(([name, one]) => [
    name,
    { ...one, settings: { ...one.settings, interruptionsMax } },
  ]);
  const feature = { ...settings.feature, projects: Object.fromEntries(projects) };
  return { ...submission, task, settings: { ...settings, interruptionsMax, feature } };
}

const NODES = `  - { id: d, kind: task, files: [d.txt] }
  - { id: never, kind: gate, gates: [never], after: [d] }
  - id: if
    kind: branch
    after: [never]
    when: { field: never.result, operator: equals, value: green }
    then: [e]
    else: [again]
  - { id: e, kind: task, files: [e.txt] }
  - id: again
    kind: subgraph
    repeat: { until: { field: look.result, operator: equals, value: yes }, max: 2 }
    nodes: [{ id: f, kind: task, files: [f.txt] }, { id: look, kind: human, question: Now?, after: [f] }]
  - { id: end, kind: merge, after: [e, again] }`;

/** The gate of a node is red, so its branch goes to the rounds. A person ends them after the first. */
export function smallGraph(task: string, interruptionsMax: number): FeatureSubmission {
  const submission = featureSubmission({ nodes: NODES, capacity: 2 });
  return { ...submission, task, settings: { ...submission.settings, interruptionsMax } };
}

type OnEffect = (effect: {
  readonly run: string;
  readonly key: string;
  readonly label: string;
}) => void;

export function featurePerformers(clock: Clock, onEffect: OnEffect): readonly Performer[] {
  const performer = <Input>(
    command: string,
    label: (input: Input) => string,
    result: (input: Input, run: string) => object,
  ): Performer =>
    loosePerformer(command, async ({ run, key, input }, { cancelSignal }) => {
      onEffect({ run, key, label: label(input as Input) });
      await clock.sleep(10, cancelSignal);
      return result(input as Input, run);
    });
  return [
    performer<{ readonly project: string }>(
      'open-base',
      ({ project }) => `stores the files${inOther(project)}`,
      (_, run) => ({ kind: 'opened', work: { run, tree: 1, commit: 'base', content: TIP } }),
    ),
    performer<WriteInterfacesInput>(
      'write-interfaces',
      ({ files, project }) => `writes ${textsOf(files)}${inOther(project)}`,
      ({ files, tree }, run): WriteInterfacesResult => ({
        ...{ kind: 'written', names: files.map(({ path }) => path) },
        work: { run, tree, commit: `types ${textsOf(files)}`, content: textsOf(files) },
      }),
    ),
    performer<MergeWorkInput>(
      'merge-work',
      ({ work, project }) => `merges ${work.content}${inOther(project)}`,
      ({ work }, run): MergeWorkResult => {
        if (work.content === 'c1') return { kind: 'conflict', files: ['c.txt'], text: 'diff of c' };
        const names = work.content.startsWith('export') ? ['t.d.ts'] : [`${work.commit}.txt`];
        return { kind: 'merged', work: { run, tree: 1, commit: work.commit, content: TIP }, names };
      },
    ),
  ];
}

function textsOf(files: WriteInterfacesInput['files']): string {
  return files.map(({ text }) => text).join(' ');
}
