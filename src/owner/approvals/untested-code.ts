/**
 * Finds changed code that no test reaches, as far as names tell. No test is named after the file. Neither a test nor
 * the code that tests lead to imports it or has its path. Only for languages whose code names the files that it uses.
 */
import { basename } from 'node:path';
import { hasMutants } from '../../mutants/find-mutants.ts';
import { isTestFile, isTestHelper } from '../../workspace/apply/test-files.ts';
import type { GateTreeSource } from '../../workspace/gate-tree.ts';
import { readTexts } from '../../workspace/gate-tree.ts';
import { CODE_CHARS_MAX, codeName, findLeads } from './code-leads.ts';

/** In a larger project nothing is said. */
const FILES_MAX = 2000;
const NAMES_ITS_FILES = /\.(?:[cm]?[jt]sx?|py)$/;

export type CodeFile = { readonly path: string; readonly text: string };

export async function untestedCode(
  { repo, after }: Pick<GateTreeSource, 'repo' | 'after'>,
  changed: readonly string[],
): Promise<readonly string[]> {
  const isThere = (path: string): boolean => after.has(path) && isCode(path) && hasMutants(path);
  const code = changed.filter((path) => isThere(path) && !isTest(path));
  const paths = [...after.keys()].filter(isCode);
  if (code.length === 0 || paths.length > FILES_MAX) return [];
  const entries = paths.map((path) => after.get(path));
  const small = entries.filter((file) => file !== undefined && file.bytes <= CODE_CHARS_MAX);
  const texts = await readTexts(repo, small);
  const files = paths.map((path) => ({ path, text: texts.get(after.get(path)?.id ?? '') ?? '' }));
  return await withoutTest(code, files);
}

/** `files` are all code of the project, tests included. The owner has other work, so it comes between any two files. */
export async function withoutTest(
  changed: readonly string[],
  files: readonly CodeFile[],
): Promise<readonly string[]> {
  const reached = files.filter(({ path }) => isTest(path));
  const others = files.filter(({ path }) => !isTest(path));
  const left = new Map(others.map((file) => [file, codeName(file.path)]));
  for (const { path, text } of reached) {
    await new Promise((resolve) => setImmediate(resolve));
    const leadsTo = findLeads(path, text);
    const named = new Set(isTest(path) ? stemsOf(path) : []);
    // What is found is read too: the loop continues with it.
    for (const [file, name] of left)
      if (named.has(name.name) || leadsTo(name)) {
        left.delete(file);
        reached.push(file);
      }
  }
  const untested = new Set([...left.keys()].map(({ path }) => path));
  return changed.filter((path) => untested.has(path));
}

function isTest(path: string): boolean {
  return isTestFile(path) || isTestHelper(path);
}

function isCode(path: string): boolean {
  return NAMES_ITS_FILES.test(path);
}

/** `test_user_service.py` and `user-service.test.ts` are about `user_service` and `user-service`. */
function stemsOf(path: string): readonly string[] {
  const [stem = ''] = basename(path).split('.');
  return [stem, stem.replace(/^test[_-]|[_-](?:test|spec)$/, '')];
}
