import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isDecisive } from '../detection/listing.ts';
import { detectProject } from './detect-project.ts';
import type { Detected } from './detect-project.ts';

function detect(files: Readonly<Record<string, string>>): Detected {
  const texts = new Map(Object.entries(files).filter(([path]) => isDecisive(path)));
  return detectProject({ paths: Object.keys(files), texts });
}

describe('a project', () => {
  const cases: [why: string, files: Readonly<Record<string, string>>, packs: readonly string[]][] =
    [
      ['with React', { 'package.json': '{"dependencies":{"react":"19"}}' }, ['frontend']],
      [
        'with Vue in a part of it',
        { 'apps/web/package.json': '{"dependencies":{"vue": "3"}}' },
        ['frontend'],
      ],
      ['that only mentions React', { 'package.json': '{"description":"not react: no"}' }, []],
      ['with pandas', { 'requirements.txt': 'numpy\npandas>=2' }, ['data']],
      [
        'with Airflow in pyproject',
        { 'pyproject.toml': 'dependencies = [\n  "apache-airflow==3",\n]' },
        ['data'],
      ],
      ['with something called pandas-like', { 'requirements.txt': 'pandas-stubs' }, []],
      [
        'with PostgreSQL in compose',
        { 'docker-compose.yml': 'image: postgres:17' },
        ['backend', 'infra'],
      ],
      ['with compose alone', { 'compose.yaml': 'image: redis' }, ['infra']],
      ['with contracts', { 'contracts/Token.sol': '' }, ['contracts']],
      ['in Rust', { 'Cargo.toml': '[dependencies]\nclap = "4"' }, ['cli', 'rust']],
      ['in Go', { 'go.mod': 'module x' }, ['go']],
      ['with a command', { 'package.json': '{"bin":{"x":"x.js"}}' }, ['cli']],
      [
        'with FastAPI',
        { 'pyproject.toml': "dependencies = [\n'fastapi[standard]'\n]" },
        ['backend'],
      ],
      ['that trades', { 'requirements.txt': 'ccxt' }, ['trading']],
      ['without anything', { 'a.txt': '' }, []],
    ];
  for (const [why, files, packs] of cases) {
    test(`${why} gets ${packs.join(', ') || 'nothing'}`, () =>
      assert.deepEqual([...detect(files).packs.keys()], packs));
  }
});
