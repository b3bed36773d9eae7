/** A feature that spans several projects: what its file may say, and what comes before what. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isRefusal } from '../base/errors.ts';
import { allComponents } from '../protocol/feature.ts';
import { toGraph } from './feature-graph.ts';
import type { FoundFolder } from './locate-projects.ts';
import { locateProjects } from './locate-projects.ts';
import { parseFeature, parsePlaced } from './parse-feature.ts';

const fileOf = (projects: string, phases: string): string =>
  `id: P1T1\ntitle: A feature\n${projects}phases:\n${phases}`;

const TWO = `projects:
  api: { path: . }
  web: { path: ../web, depends_on: [api] }
`;
const ONE_EACH = `  - id: one
    components:
      - { id: a, project: api, files: [a] }
      - { id: b, project: web, files: [a] }`;

function faultsOf(text: string): readonly string[] {
  try {
    parseFeature(text, 'f.yaml');
    return [];
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return error.message.split('\n');
  }
}

describe('a file with projects', () => {
  type Row = readonly [why: string, projects: string, phases: string, faults: readonly string[]];
  const api = '  api: { path: . }\n';
  const rows: readonly Row[] = [
    ['may own the same path in two projects', TWO, ONE_EACH, []],
    [
      'names each project as it is',
      TWO,
      ONE_EACH.replace('project: web', 'project: wep'),
      [
        'f.yaml:5:8: no component names the project "web": leave it out',
        'f.yaml:10:27: no project is called "wep" (did you mean "web"?)',
      ],
    ],
    [
      'names a project for each component',
      TWO,
      `${ONE_EACH}\n      - { id: c, files: [c] }`,
      ['f.yaml:11:9: has no project: name one of api, web'],
    ],
    [
      'names no project without projects',
      '',
      '  - { id: one, components: [{ id: a, project: api, files: [a] }] }',
      ['f.yaml:4:47: the file has no projects, and names "api"'],
    ],
    [
      'has no cycle',
      TWO.replace('path: . }', 'path: ., depends_on: [web] }'),
      ONE_EACH,
      ['f.yaml:4:31: the projects depend on each other: "api" depends on "web" depends on "api"'],
    ],
    [
      'depends on projects that it has',
      TWO.replace('depends_on: [api]', 'depends_on: [ap]'),
      ONE_EACH,
      ['f.yaml:5:37: no project is called "ap" (did you mean "api"?)'],
    ],
    [
      'lets no project depend on itself',
      TWO.replace('depends_on: [api]', 'depends_on: [web]'),
      ONE_EACH,
      ['f.yaml:5:37: a project cannot depend on itself'],
    ],
    [
      'has no path twice',
      TWO.replace('../web', './'),
      ONE_EACH,
      ['f.yaml:5:16: the projects "api" and "web" have the same path'],
    ],
    [
      'has no project in another one',
      TWO.replace('../web', 'packages/web'),
      ONE_EACH,
      ['f.yaml:5:16: the project "web" lies in the project "api": make them one project'],
    ],
    [
      'has no project around another one',
      TWO.replace('../web', '..'),
      ONE_EACH,
      ['f.yaml:5:16: the project "api" lies in the project "web": make them one project'],
    ],
    [
      'has a path that is text',
      `projects:\n  api: { path: 7 }\n`,
      '  - { id: one, components: [{ id: a, project: api, files: [a] }] }',
      ['f.yaml:4:16: projects.api.path: expected a path, such as ../web, found 7'],
    ],
    [
      'names projects in lowercase',
      `projects:\n  Api: { path: . }\n`,
      '  - { id: one, components: [{ id: a, project: api, files: [a] }] }',
      [
        'f.yaml:4:3: the key "Api" in projects: expected the name of a project: up to 64 lowercase letters, digits, _ and - that start with a letter',
      ],
    ],
    [
      'has no project with a name that every object has',
      `projects:\n  constructor: { path: . }\n`,
      '  - { id: one, components: [{ id: a, project: constructor, files: [a] }] }',
      ['f.yaml:4:3: the key "constructor" is not allowed'],
    ],
    [
      'has projects under that key',
      'projects: {}\n',
      '  - { id: one, components: [{ id: a, files: [a] }] }',
      ['f.yaml:3:11: projects: expected 1 to 20 projects, found keys with values'],
    ],
    [
      'uses only interfaces that are there',
      `projects:\n${api}`,
      `  - id: one
    interfaces: [{ file: t.d.ts, definition: 'export type T = 1;' }]
    components: [{ id: a, project: api, files: [t.d.ts], uses: [u.d.ts] }]`,
      [
        'f.yaml:8:65: no phase has the interface "u.d.ts" (did you mean "t.d.ts"?)',
        'f.yaml:8:49: "t.d.ts" is an interface, and one.a could not change it: interfaces are locked',
      ],
    ],
  ];
  for (const [why, projects, phases, faults] of rows)
    test(why, () => assert.deepEqual(faultsOf(fileOf(projects, phases)), faults));
});

describe('components of several projects', () => {
  const waits = (text: string): Readonly<Record<string, readonly string[]>> => {
    const feature = parseFeature(text, 'f.yaml');
    const names = new Map(allComponents(feature).map(({ id, name }) => [id, name]));
    return Object.fromEntries(
      [...toGraph(feature).waitsFor].map(([id, before]) => [
        names.get(id) ?? id,
        before.map((one) => names.get(one) ?? one).toSorted(),
      ]),
    );
  };

  test('wait in each phase for the projects that their own depends on, also through others', () => {
    const text = fileOf(
      `projects:
  core: { path: ../core }
  api: { path: ., depends_on: [core] }
  web: { path: ../web, depends_on: [api] }
`,
      `  - { id: one, components: [{ id: w, project: web, files: [a] }, { id: c, project: core, files: [a] }] }
  - { id: two, gate: interfaces-locked, components: [{ id: a, project: api, files: [a] }, { id: w, project: web, files: [b] }] }`,
    );
    assert.deepEqual(waits(text), {
      ...{ 'one.w': ['one.c'], 'one.c': [] },
      ...{ 'two.a': ['one.c'], 'two.w': ['one.c', 'two.a'] },
    });
  });

  test('get a copy of an interface in each project that uses it, before they start', () => {
    const text = fileOf(
      TWO,
      `  - id: one
    interfaces:
      - { file: both.d.ts, definition: 'export type A = 1;' }
      - { file: own.d.ts, definition: 'export type B = 1;' }
      - { file: unused.d.ts, definition: 'export type C = 1;' }
    components:
      - { id: a, project: api, files: [a], uses: [both.d.ts, own.d.ts] }
  - { id: two, components: [{ id: b, project: web, files: [a], uses: [both.d.ts] }] }`,
    );
    const feature = parseFeature(text, 'f.yaml');
    assert.deepEqual(
      allComponents(feature)
        .filter(({ interfaces }) => interfaces !== undefined)
        .map(({ id, name, project, files }) => [id, name, project, files]),
      [
        ['P1T1-PH1-C01', 'one.interfaces-api', 'api', ['both.d.ts', 'own.d.ts', 'unused.d.ts']],
        ['P1T1-PH1-C02', 'one.interfaces-web', 'web', ['both.d.ts']],
      ],
    );
    assert.deepEqual(waits(text)['one.a'], ['one.interfaces-api', 'one.interfaces-web']);
  });

  test('have the role of their project, if they name none', () => {
    const text = fileOf(
      TWO.replace('path: . }', 'path: ., role: api_dev }'),
      `${ONE_EACH}\n      - { id: c, project: api, role: tester, files: [c] }`,
    );
    assert.deepEqual(
      allComponents(parseFeature(text, 'f.yaml')).map(({ role }) => role),
      ['api_dev', null, 'tester'],
    );
  });
});

describe('the projects of a feature on a machine', () => {
  const repository = (root: string, path = root, refs = `${root}/.git`): FoundFolder => ({
    ...{ kind: 'repository', root, path, refs },
  });
  const locate = async (
    found: Readonly<Record<string, FoundFolder>>,
    start = '/home/me/api',
  ): Promise<unknown> => {
    const { feature, refuseIf } = parsePlaced(fileOf(TWO, ONE_EACH), 'f.yaml');
    let located: unknown;
    try {
      await refuseIf(async (report) => {
        const look = async (path: string): Promise<FoundFolder> =>
          found[path] ?? { kind: 'unusable', why: `${path} does not exist` };
        located = await locateProjects(feature.projects ?? [], start, look, report);
      });
      return located;
    } catch (error) {
      if (!isRefusal(error)) throw error;
      return error.message.split('\n');
    }
  };

  test('are found from the project that it starts in', async () =>
    assert.deepEqual(
      await locate({
        '/home/me/api': repository('/home/me/api'),
        '/home/me/web': repository('/else/web', '/else/web/site'),
      }),
      [
        { name: 'api', path: '/home/me/api' },
        { name: 'web', path: '/else/web/site' },
      ],
    ));

  const refused: readonly (readonly [
    why: string,
    found: Readonly<Record<string, FoundFolder>>,
    start: string,
    fault: string,
  ])[] = [
    [
      'no repository',
      { '/home/me/api': repository('/home/me/api') },
      '/home/me/api',
      'f.yaml:5:16: the project "web" cannot be built: /home/me/web does not exist',
    ],
    [
      'two folders of one repository',
      {
        '/home/me/api': repository('/home/me', '/home/me/api'),
        '/home/me/web': repository('/home/me', '/home/me/web'),
      },
      '/home/me/api',
      'f.yaml:5:16: the projects "api" and "web" are in the same repository, /home/me: make them one project',
    ],
    [
      'two worktrees of one repository',
      {
        '/home/me/api': repository('/home/me/api'),
        '/home/me/web': repository('/home/me/web', '/home/me/web', '/home/me/api/.git'),
      },
      '/home/me/api',
      'f.yaml:5:16: the projects "api" and "web" are in two worktrees of the same repository, /home/me/api/.git, which share every branch: make them one project',
    ],
    [
      'a repository in another one, behind a link',
      {
        '/home/me/api': repository('/home/me/api'),
        '/home/me/web': repository('/home/me/api/web'),
      },
      '/home/me/api',
      'f.yaml:5:16: the project "web" lies in the project "api": make them one project',
    ],
    [
      'a feature that starts elsewhere',
      { '/home/me/other': repository('/home/me/api'), '/home/me/web': repository('/home/me/web') },
      '/home/me/other',
      'f.yaml:4:3: none of these projects is /home/me/other: start the feature in one of them, or name it with --project',
    ],
  ];
  for (const [why, found, start, fault] of refused)
    test(`are refused: ${why}`, async () => assert.deepEqual(await locate(found, start), [fault]));
});
