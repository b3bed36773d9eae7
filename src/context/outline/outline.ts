import { JAVASCRIPT, loadJavaScript } from '../imports/javascript-imports.ts';
import { loadGrammar } from '../imports/grammar.ts';
import { PYTHON } from '../imports/python.ts';
import { globMatcher } from '../glob.ts';
import { javascriptOutline } from './javascript-outline.ts';
import { pythonOutline } from './python-outline.ts';

const SOURCE =
  /\.(?:[cm]?[jt]sx?|vue|svelte|pyi?|go|rs|java|kt|scala|c|h|cc|cpp|hpp|cs|rb|php|swift|sol|ex|exs|erl|hs|ml|clj|lua|dart|zig|sh)$/;

/** Files that are public interface as a whole. */
export const isInterfaceFile = globMatcher([
  '**/*.{d.ts,d.mts,d.cts,pyi,proto,graphql,graphqls,thrift,avsc,idl}',
  '**/{openapi,swagger,asyncapi}*.{yaml,yml,json}',
  '**/*.schema.json',
]);

const isTestFile = globMatcher([
  '**/{test,tests,__tests__,spec,e2e}/**',
  '**/*.{test,spec}.*',
  '**/{test_*,*_test,conftest}.py',
  '**/*_test.go',
]);

/** Whether a file contains implementation, and not only public interface. */
export function isImplementation(path: string): boolean {
  return SOURCE.test(path) && !isInterfaceFile(path) && !isTestFile(path);
}

/** The public part of a source file; undefined if there is none, or its language is unknown. */
export async function outline(path: string, text: string): Promise<string | undefined> {
  const shown = PYTHON.test(path)
    ? pythonOutline(await loadGrammar('python'), text)
    : JAVASCRIPT.test(path)
      ? javascriptOutline(await loadJavaScript(), path, text)
      : '';
  return shown === '' ? undefined : shown;
}
