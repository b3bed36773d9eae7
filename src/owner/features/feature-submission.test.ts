import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isRefusal } from '../../base/errors.ts';
import type { FeatureSubmission } from '../../protocol/run-submission.ts';
import type { FeatureRequest } from '../../protocol/views/feature-view.ts';
import type { PinnedRole, WorkflowDefinition } from '../../protocol/workflow-definition.ts';
import {
  commit,
  definition,
  gate,
  human,
  role,
  workflowSubmission,
} from '../../../test/support/workflow-fixture.ts';
import type { LanePorts } from './feature-submission.ts';
import { featureSubmission } from './feature-submission.ts';

const FULL = definition({
  plan: role('planner', 'implement'),
  implement: role('coder', 'check'),
  check: gate(['test'], 'look'),
  look: human('commit'),
  commit: commit(),
});

/** What each role answers with. */
const ANSWERS = { planner: 'plan', coder: 'implementation' } as const;

async function submit(
  file: string,
  projectWorkflow: string | null = 'small',
): Promise<FeatureSubmission | string> {
  const text = `id: P1T5\ntitle: Pay by invoice\n${file}`;
  const request: FeatureRequest = {
    ...{ project: '/app', capacity: 2, set: [] },
    file: { name: 'f.yaml', text },
  };
  const roles = Object.fromEntries(
    Object.entries(ANSWERS).map(([name, answer]) => [name, { answer } as unknown as PinnedRole]),
  );
  const lane = (path: string, ownWorkflow: string | null): LanePorts => ({
    path,
    typeScript: () => Promise.resolve(7),
    gates: ['test', 'e2e web'].map((name) => ({ name, command: ['make'], timeoutMs: 1000 })),
    projectWorkflow: ownWorkflow,
    load: (template) => Promise.resolve({ ...FULL, name: template }),
    submit: ({ task, project }, loaded) => {
      const plain = workflowSubmission(loaded, task);
      const { settings } = plain;
      return Promise.resolve({
        ...{ ...plain, project },
        settings: { ...settings, workflow: { ...settings.workflow, roles } },
      });
    },
  });
  try {
    return await featureSubmission(request, {
      ...lane('/app', projectWorkflow),
      open: (path) => Promise.resolve(lane(path, path === '/plain' ? null : `that of ${path}`)),
      look: (path) =>
        Promise.resolve(
          path === '/gone'
            ? { kind: 'unusable', why: `${path} is not there` }
            : { kind: 'repository', path, root: path, refs: path },
        ),
    });
  } catch (error) {
    if (isRefusal(error)) return error.message;
    throw error;
  }
}

async function refusalOf(file: string, projectWorkflow?: string | null): Promise<string> {
  const made = await submit(file, projectWorkflow);
  return typeof made === 'string' ? made : assert.fail('it is accepted');
}

function steps({ steps: all }: WorkflowDefinition): string {
  return Object.values(all)
    .map((step) => (step.kind === 'role' ? `${step.id} (${step.role})` : step.id))
    .join(' ');
}

const ONE = 'phases: [{ id: one, components: [{ id: a, files: [a] }] }]\n';

describe('the submission of a feature', () => {
  test('pins the workflow without its commit, its gates, and the name of the branch', async () => {
    const made = await submit(ONE);
    assert.ok(typeof made !== 'string');
    const { feature } = made.settings;
    assert.deepEqual(
      [made.program, made.task, feature.branch, feature.capacity],
      ['feature', 'P1T5: Pay by invoice', 'ai/P1T5-pay-by-invoice', 2],
    );
    assert.deepEqual(
      feature.gates.map(({ name }) => name),
      ['test'],
    );
    const pinned = feature.workflows['']?.definition ?? assert.fail();
    assert.equal(pinned.name, 'small (component)');
    // The person who looks stays; only the commit is left out.
    assert.equal(steps(pinned), 'plan (planner) implement (coder) check look');
    assert.equal(pinned.steps['look']?.next, null);
  });

  test('lets the role of a component take the place of the one that implements', async () => {
    const made = await submit(ONE.replace('files: [a]', 'files: [a], role: gopher'));
    assert.ok(typeof made !== 'string');
    const { workflows } = made.settings.feature;
    assert.deepEqual(Object.keys(workflows), ['', 'gopher']);
    assert.equal(
      steps(workflows['gopher']?.definition ?? assert.fail()),
      'plan (planner) implement (gopher) check look',
    );
  });

  test('needs a workflow: that of the file, or that of the project', async () => {
    assert.match(await refusalOf(ONE, null), /^f\.yaml names no workflow, and this project has/);
    const made = await submit(`workflow: other\n${ONE}`, null);
    assert.ok(typeof made !== 'string');
  });

  test('shows an agent the files of its component only, in every step of a role', async () => {
    const made = await submit(ONE);
    assert.ok(typeof made !== 'string');
    const { steps: all } = made.settings.feature.workflows['']?.definition ?? assert.fail();
    assert.deepEqual(
      Object.values(all).flatMap((step) => (step.kind === 'role' ? [step.contextScope] : [])),
      ['component', 'component'],
    );
  });

  test('has a gate for interfaces of types, with the flags of the TypeScript of the project', async () => {
    const locks = (file: string): string =>
      ONE.replace('id: one,', `id: one, interfaces: [{ file: ${file}, definition: x }],`);
    const commandsOf = async (file: string): Promise<readonly string[]> => {
      const made = await submit(locks(file));
      assert.ok(typeof made !== 'string');
      return (made.settings.feature.interfaceGates ?? []).map(({ command }) => command.join(' '));
    };
    const [command = ''] = await commandsOf('types/a.d.ts');
    assert.match(command, /^node_modules\/\.bin\/tsc --noEmit .* --ignoreConfig$/);
    assert.deepEqual(await commandsOf('api/a.yaml'), []);
  });

  describe('of several projects', () => {
    const spanning = (
      path: string,
    ): string => `projects: { app: { path: . }, web: { path: ${path} } }
phases: [{ id: one, components: [{ id: a, project: app, files: [a] }, { id: b, project: web, role: gopher, files: [a] }] }]
`;

    test('pins for each of the others its path, its workflows and its gates', async () => {
      const made = await submit(spanning('../web'));
      assert.ok(typeof made !== 'string');
      const { workflows, projects = {} } = made.settings.feature;
      assert.deepEqual([made.project, Object.keys(projects)], ['/app', ['web']]);
      const { web } = projects;
      // The role is one of a component of the other project.
      assert.deepEqual(
        [Object.keys(workflows), Object.keys(web?.workflows ?? {})],
        [[''], ['', 'gopher']],
      );
      assert.equal(workflows['']?.definition.name, 'small (component)');
      assert.equal(web?.workflows['']?.definition.name, 'that of /web (component)');
      assert.deepEqual([web.path, web.gates.map(({ name }) => name)], ['/web', ['test']]);
      assert.ok(!('workflow' in web.settings));
    });

    test('is refused with the line of a project that cannot be built, or has no workflow', async () => {
      assert.equal(
        await refusalOf(spanning('/gone')),
        'f.yaml:3:44: the project "web" cannot be built: /gone is not there',
      );
      assert.match(
        await refusalOf(spanning('/plain')),
        /^f\.yaml names no workflow, and the project "web" has none of its own/,
      );
    });
  });

  describe('of a graph', () => {
    const graph = (gates: string): string =>
      `nodes: [{ id: a, kind: task, files: [a] }, { id: g, kind: gate, gates: [${gates}], after: [a] }]\n`;
    const refusal = async (nodes: string): Promise<string> => {
      const made = await submit(nodes);
      return typeof made === 'string' ? made : assert.fail('it is accepted');
    };

    test('pins the gates that its nodes name, by their name or by what they check', async () => {
      const made = await submit(graph('test, integration'));
      assert.ok(typeof made !== 'string');
      const { nodeGates = {} } = made.settings.feature;
      assert.deepEqual(
        Object.entries(nodeGates).map(([name, gates]) => [name, gates.map((one) => one.name)]),
        [
          ['test', ['test']],
          ['integration', ['e2e web']],
        ],
      );
    });

    test('is refused with a gate that the project does not have', async () =>
      assert.match(
        await refusal(graph('tests')),
        /^The node g of f\.yaml names the gate "tests", which this project does not have \(did you mean "test"\?\)\.$/,
      ));
  });

  test('is refused with the lines of the file', async () => {
    assert.match(
      await refusalOf(ONE.replace('files: [a]', 'files: [a], depends_on: [b]')),
      /^f\.yaml:3:\d+: no component is called "b"/,
    );
  });
});
