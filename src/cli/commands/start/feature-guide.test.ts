import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { inProcessCli } from '../../../../test/support/cli-harness.ts';
import { featureFileJsonSchema } from '../../../settings/feature-file.ts';

const guide = readFileSync(new URL('../../../../docs/guide/features.md', import.meta.url), 'utf8');

function block(start: string): string {
  const at = guide.indexOf(`\`\`\`${start}`);
  assert.notEqual(at, -1, start);
  const text = guide.slice(at + 3);
  return text.slice(text.indexOf('\n') + 1, text.indexOf('```'));
}

describe('the guide to features', { timeout: 120_000 }, () => {
  test('shows a feature, its drawing, and a refusal as they are', async () => {
    await using cli = await inProcessCli();
    const text = block('yaml\n# invoices.yaml');
    await writeFile(join(cli.project, 'invoices.yaml'), text);
    const { code, out, err } = await cli.say(['feature', 'show', 'invoices.yaml']);
    assert.deepEqual([code, err], [0, '']);
    assert.equal(out, block('text\nP1T5'));
    const wrong = text.replace('depends_on: [model]', 'depends_on: [modle]');
    await writeFile(join(cli.project, 'invoices.yaml'), wrong);
    const refused = await cli.say(['feature', 'check', 'invoices.yaml']);
    assert.equal(refused.err, block('text\ninvalid invoices'));
  });

  test('shows a feature of several projects, and a refusal, as they are', async () => {
    await using cli = await inProcessCli();
    const text = block('yaml\n# payments.yaml');
    const file = join(cli.project, 'payments.yaml');
    await writeFile(file, text);
    const { code, out, err } = await cli.say(['feature', 'show', 'payments.yaml']);
    assert.deepEqual([code, err], [0, '']);
    assert.equal(out, block('text\nP1T7'));
    await writeFile(
      file,
      text.replace(
        'role: implementer, depends_on: [types]',
        'role: implementer, depends_on: [typs]',
      ),
    );
    const refused = await cli.say(['feature', 'check', 'payments.yaml']);
    assert.equal(refused.err, block('text\ninvalid payments'));
    const graph = await cli.say(['plan', 'show', 'payments.yaml', '--graph']);
    assert.equal(graph.code, 2);
    await writeFile(file, text);
    const drawn = await cli.say(['plan', 'show', 'payments.yaml', '--graph']);
    assert.match(drawn.out, /project_types --> project_api\n/);
    assert.match(drawn.out, /P1T7_PH1_C3\["web: The form"\]/);
  });

  test('names every key', () => {
    const { properties = {} } = featureFileJsonSchema();
    const phase = properties['phases']?.items?.properties ?? {};
    const component = phase['components']?.items?.properties ?? {};
    const project = properties['projects']?.additionalProperties;
    const ofProject = typeof project === 'object' ? (project.properties ?? {}) : {};
    const keys = [properties, phase, component, ofProject].flatMap((part) => Object.keys(part));
    assert.ok(keys.length > 15);
    assert.deepEqual(
      keys.filter((key) => !new RegExp(`[\`.: ]${key}\\b`).test(guide)),
      [],
    );
  });
});
