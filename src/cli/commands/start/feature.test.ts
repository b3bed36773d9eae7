import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import {
  DependenciesDocument,
  FeatureDocument,
  FeaturesCheckDocument,
} from '../../../public-json/feature-documents.ts';
import { inProcessCli } from '../../../../test/support/cli-harness.ts';
import { tempDir } from '../../../../test/support/temp-dir.ts';

const FEATURE = `
id: P1T5
title: Pay by invoice
phases:
  - id: backend
    components:
      - { id: model, title: The table, files: [db/] }
      - { id: mail, files: [src/mail.ts], touches: [src/index.ts] }
      - { id: service, files: [src/service.ts], depends_on: [model], touches: [src/index.ts] }
  - id: frontend
    components: [{ id: form, files: [web/] }]
`;

const SERIAL = `
id: P1T6
title: A chain
phases:
  - id: one
    components: [{ id: a, files: [a.ts] }, { id: b, files: [b.ts], depends_on: [a] }]
`;

describe('supervisor feature', { timeout: 120_000 }, () => {
  test('draws a feature, and what would run side by side', async () => {
    await using cli = await inProcessCli();
    await writeFile(join(cli.project, 'f.yaml'), FEATURE);
    const { code, out } = await cli.say(['feature', 'show', 'f.yaml']);
    assert.equal(code, 0);
    assert.equal(
      out,
      `P1T5  Pay by invoice

P1T5-PH1  backend
  ○  P1T5-PH1-C1  backend.model    The table
  ○  P1T5-PH1-C2  backend.mail
  ○  P1T5-PH1-C3  backend.service             after backend.model
  ▼
P1T5-PH2  frontend
  ○  P1T5-PH2-C1  frontend.form

Side by side, at most 4 at a time:
  1  backend.model, backend.mail
  2  backend.service
  3  frontend.form
Expected: 1.3 times as fast as one after the other, if all of them take the same time.
! backend.mail and backend.service never run at the same time: both touch src/index.ts.
`,
    );
    const json = await cli.say(['feature', 'show', 'f.yaml', '--capacity', '1', '--json']);
    const shown = FeatureDocument.parse(JSON.parse(json.out));
    assert.deepEqual([shown.capacity, shown.batches.length, shown.expected_speedup], [1, 4, 1]);
    assert.deepEqual(shown.overlaps, [
      {
        components: ['P1T5-PH1-C2', 'P1T5-PH1-C3'],
        patterns: ['src/index.ts', 'src/index.ts'],
      },
    ]);
    assert.deepEqual(shown.phases[1]?.components[0]?.waits_for, [
      'P1T5-PH1-C1',
      'P1T5-PH1-C2',
      'P1T5-PH1-C3',
    ]);
    const { out: graph } = await cli.say(['feature', 'graph', 'f.yaml']);
    assert.match(graph, /^flowchart LR\n {2}subgraph P1T5_PH1\["backend"\]\n/);
  });

  test('is not there: that is said before the question', async () => {
    await using cli = await inProcessCli();
    const { err } = await cli.say(['feature', 'start', 'nosuch.yaml']);
    assert.match(err, /nosuch\.yaml/);
    assert.doesNotMatch(err, /--yes/);
  });

  test('advises to run it serially if nothing can run side by side', async () => {
    await using cli = await inProcessCli();
    await writeFile(join(cli.project, 's.yaml'), SERIAL);
    const { out } = await cli.say(['feature', 'show', 's.yaml']);
    assert.match(out, /^No two of these 2 components can run side by side: run it serially\.$/m);
  });

  test('checks files, and names the line and the nearest name', async () => {
    await using cli = await inProcessCli();
    await writeFile(join(cli.project, 'f.yaml'), FEATURE);
    const bad = FEATURE.replace('[model]', '[modle]');
    await writeFile(join(cli.project, 'bad.yaml'), bad);
    const good = await cli.say(['feature', 'check', 'f.yaml']);
    assert.deepEqual([good.code, good.out], [0, '1 valid feature.\n']);
    const message = 'bad.yaml:9:62: no component is called "modle" (did you mean "model"?)';
    const both = await cli.say(['feature', 'check', 'f.yaml', 'bad.yaml']);
    assert.deepEqual([both.code, both.err], [2, `invalid ${message}\n`]);
    const json = await cli.say(['feature', 'check', 'bad.yaml', 'none.yaml', '--json']);
    const { problems, error } = FeaturesCheckDocument.parse(JSON.parse(json.out));
    assert.deepEqual(
      [json.code, problems, error?.code, error?.line],
      [2, [message, 'The file none.yaml does not exist.'], 'feature.invalid', 9],
    );
    const shown = await cli.say(['feature', 'show', 'bad.yaml']);
    assert.equal(shown.code, 2);
    assert.match(shown.err, /^error: bad\.yaml:9:62: /);
  });

  test('suggests dependencies inside of each project, by the files that it has', async () => {
    await using cli = await inProcessCli();
    await using other = await tempDir();
    const web = other.path;
    const text = `id: P1T1
title: Two sides
projects: { api: { path: . }, web: { path: ${web} } }
phases:
  - id: one
    components:
      - { id: model, project: api, files: [model.ts] }
      - { id: route, project: api, files: [route.ts] }
      - { id: form, project: web, files: [model.ts] }
      - { id: page, project: web, files: [page.ts] }
`;
    await writeFile(join(cli.project, 'f.yaml'), text);
    await writeFile(join(cli.project, 'model.ts'), 'export const rows = [];\n');
    await writeFile(join(cli.project, 'route.ts'), 'export const rows = [];\n');
    await writeFile(join(web, 'model.ts'), 'export const rows = [];\n');
    await writeFile(join(web, 'page.ts'), "import { rows } from './model.ts';\n");
    const { code, out } = await cli.say(['analyze-deps', 'f.yaml']);
    assert.equal(code, 0);
    assert.match(out, /^4 files of 4 components read; 0 import dependencies known\.$/m);
    assert.deepEqual(
      out.split('\n').filter((line) => line.startsWith('? ')),
      ['? one.page should wait for one.form (page.ts imports model.ts)'],
    );
  });

  test('refuses a folder in place of a file', async () => {
    await using cli = await inProcessCli();
    for (const argv of [
      ['feature', 'show', '.'],
      ['plan', 'show', '.'],
      ['feature', 'start', '.', '--yes'],
      ['analyze-deps', '.'],
    ]) {
      const { code, err } = await cli.say(argv);
      assert.equal(code, 2, argv.join(' '));
      assert.match(err, /^error: The file \. cannot be read: /);
    }
    const checked = await cli.say(['feature', 'check', '.']);
    assert.equal(checked.code, 2);
  });

  test('suggests dependencies from imports, and adds them only with --yes', async () => {
    await using cli = await inProcessCli();
    const file = join(cli.project, 'f.yaml');
    const text = `id: P1T1
title: A shop
phases:
  - id: back
    components:
      - id: model # the table
        files: [src/model.ts]
      - id: service
        files: [src/service.ts]
      - { id: jobs, files: [jobs.py], external: [lib/] }
      - { id: lib, files: [lib/] }
      - { id: worker, files: [worker.py] }
`;
    await writeFile(file, text);
    await mkdir(join(cli.project, 'src'));
    await mkdir(join(cli.project, 'lib'));
    await writeFile(join(cli.project, 'src/model.ts'), 'export const rows = [];\n');
    await writeFile(join(cli.project, 'src/service.ts'), "import { rows } from './model.ts';\n");
    await writeFile(join(cli.project, 'lib/log.py'), '');
    await writeFile(join(cli.project, 'jobs.py'), 'import lib.log\n');
    await writeFile(join(cli.project, 'worker.py'), 'import jobs\n');

    const printed = await cli.say(['analyze-deps', 'f.yaml']);
    assert.equal(
      printed.out,
      `5 files of 5 components read; 0 import dependencies known.
? back.service should wait for back.model (src/service.ts imports src/model.ts)
? back.worker should wait for back.jobs (worker.py imports jobs.py)
To add what is suggested: supervisor analyze-deps f.yaml --yes
`,
    );
    assert.equal(await readFile(file, 'utf8'), text);

    const json = await cli.say(['analyze-deps', 'f.yaml', '--yes', '--json']);
    const { dependencies } = DependenciesDocument.parse(JSON.parse(json.out));
    assert.deepEqual(
      dependencies.map(({ component, depends_on: needs, state }) => [component, needs, state]),
      [
        ['P1T1-PH1-C2', 'P1T1-PH1-C1', 'added'],
        ['P1T1-PH1-C5', 'P1T1-PH1-C3', 'added'],
      ],
    );
    const added = await readFile(file, 'utf8');
    assert.match(added, /- id: model # the table\n/);
    assert.match(added, /files: \[src\/service\.ts\]\n {8}depends_on: \[back\.model\]\n/);
    const again = await cli.say(['analyze-deps', 'f.yaml']);
    assert.match(again.out, /; 2 import dependencies known\.\nNothing is missing\.\n$/);

    await writeFile(join(cli.project, 'src/model.ts'), "import './service.ts';\n");
    const circle = await cli.say(['analyze-deps', 'f.yaml', '--yes']);
    assert.match(circle.out, /^! back\.model imports back\.service, which waits for back\.model/m);
  });
});
