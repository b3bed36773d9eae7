/** Reads TAP, the Test Anything Protocol, with subtests and the blocks that say why a test failed. */
import { truncate } from '../base/text.ts';
import type { ReportedTests } from './reported-tests.ts';
import { TestCollector } from './reported-tests.ts';

type OpenFailure = { readonly name: string; readonly block: string[] };

const TEST = /^(not ok|ok)\b(?: +(\d{1,9}))?(?: *-? +(.*))?$/;
const PLAN = /^1\.\.(\d{1,9})(?: *#.*)?$/;
const PARENT = /^ *failureType: '?subtestsFailed'?$/;
const LINES_MAX = 1_000_000;
const LINE_CHARS_MAX = 5000;
const BLOCK_LINES_MAX = 200;
const NAMES_MAX = 20;

/** Undefined: it has no line of a test, and no plan. */
export function readTap(text: string): ReportedTests | undefined {
  const tests = new TestCollector();
  const names: { readonly indent: number; readonly name: string }[] = [];
  let [isTap, isInBlock, plan, ran] = [false, false, null as number | null, 0];
  let bailed: string | undefined;
  let open: OpenFailure | undefined;
  const close = (): void => {
    // The subtest that failed has the reason.
    const isParent = open?.block.some((line) => PARENT.test(line)) === true;
    if (open !== undefined && !isParent) tests.addFailure(toFailure(open));
    open = undefined;
    isInBlock = false;
  };
  for (const written of text.split('\n', LINES_MAX)) {
    const whole = written.slice(0, LINE_CHARS_MAX).trimEnd();
    const indent = whole.search(/\S/);
    const line = whole.trim();
    if (isInBlock) {
      if (line === '...') isInBlock = false;
      else if (open !== undefined && open.block.length < BLOCK_LINES_MAX) open.block.push(whole);
      continue;
    }
    if (line === '---' && isTap) {
      isInBlock = true;
      continue;
    }
    if (indent < 0) continue;
    const subtest = /^# Subtest: (.*)$/.exec(line);
    if (subtest !== null) {
      enter(names, indent, subtest[1] ?? '');
      continue;
    }
    if (line.startsWith('Bail out!')) {
      isTap = true;
      bailed = line.slice(0, 300);
      continue;
    }
    const planned = PLAN.exec(line);
    if (planned !== null) {
      isTap = true;
      if (indent === 0) plan = Number(planned[1]);
      continue;
    }
    const found = TEST.exec(line);
    if (found === null) continue;
    isTap = true;
    close();
    const [, how, , title = ''] = found;
    const [, name = '', directive = ''] = /^(.*?)(?: # *(skip|todo)\b.*)?$/i.exec(title) ?? [];
    leave(names, indent);
    if (indent === 0) ran += 1;
    if (directive !== '') {
      if (indent === 0) tests.add('skipped');
    } else if (how === 'ok') {
      if (indent === 0) tests.add('passed');
    } else {
      if (indent === 0) tests.add('failed');
      const above = names.filter((one) => one.indent < indent).map((one) => one.name);
      open = { name: [...above, name].join(' › '), block: [] };
    }
  }
  close();
  if (!isTap) return undefined;
  if (bailed !== undefined) return tests.result(bailed);
  return tests.result(
    plan !== null && ran !== plan ? `its plan is ${plan}, and ${ran} have a result` : undefined,
  );
}

function enter(names: { indent: number; name: string }[], indent: number, name: string): void {
  leave(names, indent);
  if (names.length < NAMES_MAX) names.push({ indent, name: truncate(name, 200) });
}

function leave(names: { indent: number; name: string }[], indent: number): void {
  while ((names.at(-1)?.indent ?? -1) >= indent) names.pop();
}

/** The keys that node:test, tap, ava and others write. */
function toFailure({ name, block }: OpenFailure): Parameters<TestCollector['addFailure']>[0] {
  const valueOf = (...keys: readonly string[]): string | undefined => {
    for (const key of keys) {
      const at = block.findIndex((line) => line.trim().startsWith(`${key}:`));
      if (at < 0) continue;
      const value = (block[at] ?? '')
        .trim()
        .slice(key.length + 1)
        .trim();
      if (/^[|>][+-]?$/.test(value)) return textBelow(block, at);
      return value.replace(/^(['"])(.*)\1$/, '$2');
    }
    return undefined;
  };
  const [, file, line] =
    /^(.*?):(\d{1,7})(?::\d{1,7})?$/.exec(valueOf('location', 'at') ?? '') ?? [];
  return {
    name,
    file: file ?? valueOf('file', 'fileName'),
    line: line ?? valueOf('line', 'lineNumber'),
    message: valueOf('error', 'message'),
    details: block.map((line) => line.trim()).join('\n'),
  };
}

const indent = (line: string): number => line.search(/\S/);

/** The lines that belong to a key, which are indented more than it is. An assertion has its values in the last ones. */
function textBelow(block: readonly string[], at: number): string {
  const above = indent(block[at] ?? '');
  const below = block.slice(at + 1);
  const end = below.findIndex((line) => line.trim() !== '' && indent(line) <= above);
  return (end < 0 ? below : below.slice(0, end)).join('\n');
}
