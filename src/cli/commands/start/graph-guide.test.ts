import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { inProcessCli } from '../../../../test/support/cli-harness.ts';
import { graphFileJsonSchema, NODE_KINDS, OPERATORS } from '../../../settings/graph-file.ts';

const guide = readFileSync(new URL('../../../../docs/guide/graphs.md', import.meta.url), 'utf8');

function block(start: string): string {
  const at = guide.indexOf(`\`\`\`${start}`);
  assert.notEqual(at, -1, start);
  const text = guide.slice(at + 3);
  return text.slice(text.indexOf('\n') + 1, text.indexOf('```'));
}

describe('the guide to graphs', { timeout: 120_000 }, () => {
  const text = block('yaml\n# speed.yaml');

  test('shows a graph that is valid, and a refusal as it is', async () => {
    await using cli = await inProcessCli();
    await writeFile(join(cli.project, 'speed.yaml'), text);
    const { code, out, err } = await cli.say(['feature', 'check', 'speed.yaml']);
    assert.deepEqual([code, out, err], [0, '1 valid feature.\n', '']);
    const shown = await cli.say(['feature', 'show', 'speed.yaml']);
    assert.match(shown.out, /measure#3\.tune/);
    const wrong = text.replace('value: green', 'value: gren');
    await writeFile(join(cli.project, 'speed.yaml'), wrong);
    const refused = await cli.say(['feature', 'check', 'speed.yaml']);
    assert.equal(refused.err, block('text\ninvalid'));
  });

  test('is the only kind of file that analyze-deps refuses', async () => {
    await using cli = await inProcessCli();
    await writeFile(join(cli.project, 'speed.yaml'), text);
    const { code, err } = await cli.say(['analyze-deps', 'speed.yaml']);
    assert.equal(code, 2);
    assert.match(err, /speed\.yaml is a graph/);
  });

  test('names every key, every kind of node and every operator', () => {
    const { properties = {} } = graphFileJsonSchema();
    const node = properties['nodes']?.items?.properties ?? {};
    const repeat = node['repeat']?.properties ?? {};
    const own = Object.keys(properties).filter((key) => key !== 'description');
    const keys = [
      ...own,
      ...Object.keys(node),
      ...Object.keys(repeat),
      ...NODE_KINDS,
      ...OPERATORS,
    ];
    assert.ok(keys.length > 30);
    assert.deepEqual(
      keys.filter((key) => !new RegExp(`[\`.: ]${key}\\b`).test(guide)),
      [],
    );
  });
});
