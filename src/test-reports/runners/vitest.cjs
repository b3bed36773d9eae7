'use strict';
// vitest: its main process, which hears of the tests from the processes and threads that run them. It has
// no way to add a reporter to those of the project, so the class behind all of them is handed over as its
// file is loaded.
const fs = require('fs');
const Module = require('module');

const { max } = Math;
const HANDED_OVER = 'supervisor:vitest';

/** The text of a module, with a last line that hands the class over if it is the one that has it. */
function handingOver(url, source, name) {
  if (!url.includes('/vitest/dist/') || source === null || source === undefined) return undefined;
  const text = typeof source === 'string' ? source : new TextDecoder().decode(source);
  if (!/^(?:export )?class Vitest\b/m.test(text)) return undefined;
  return `${text}\n;globalThis[Symbol.for(${JSON.stringify(name)})]?.(Vitest);\n`;
}

/** Node before 22.15 loads modules in a thread of its own, which gets these functions as text. */
const IN_THREAD = `${String(handingOver)}
export async function load(url, context, next) {
  const loaded = await next(url, context);
  const source = handingOver(url, loaded.source, ${JSON.stringify(HANDED_OVER)});
  return source === undefined ? loaded : { ...loaded, source };
}
`;

function whenLoaded(found) {
  const symbol = Symbol.for(HANDED_OVER);
  let hooks;
  const value = (Vitest) => {
    delete globalThis[symbol];
    if (hooks !== undefined) hooks.deregister();
    found(Vitest);
  };
  Object.defineProperty(globalThis, symbol, { value, configurable: true });
  if (Module.registerHooks === undefined) {
    Module.register(`data:text/javascript,${encodeURIComponent(IN_THREAD)}`);
    return;
  }
  hooks = Module.registerHooks({
    load(url, context, next) {
      const loaded = next(url, context);
      const source = handingOver(url, loaded.source, HANDED_OVER);
      return source === undefined ? loaded : { ...loaded, source };
    },
  });
}

/** Adds what a test, or a group of them, has come to. */
function add(tally, task) {
  const state = (task.result || {}).state;
  if (Array.isArray(task.tasks)) {
    const { failed } = tally;
    for (const one of task.tasks) add(tally, one);
    // It failed by itself: in a hook, or as its file was loaded.
    if (state === 'fail' && tally.failed === failed) tally.failed += 1;
  } else if (state === 'fail') tally.failed += 1;
  else if (state === 'pass') tally.passed += 1;
  else if (state === 'skip' || /^(?:skip|todo)$/.test(task.mode)) tally.skipped += 1;
  else tally.missing += 1;
}

/** Names the tests that failed, and a group that failed by itself. */
function nameFailures(session, task, above, file) {
  const name = above === '' ? task.name : `${above} > ${task.name}`;
  const isRed = (task.result || {}).state === 'fail';
  if (!isRed) return;
  const inside = (task.tasks || []).filter((one) => (one.result || {}).state === 'fail');
  for (const one of inside) nameFailures(session, one, task === file ? '' : name, file);
  if (inside.length > 0) return;
  if (task === file) session.failure(file.filepath || file.name);
  else session.failure(name, file.filepath || file.name);
}

function reportVitest(open) {
  if (Module.registerHooks === undefined && Module.register === undefined) {
    fs.writeSync(
      2,
      `supervisor: on Node ${process.version} the tests of vitest can't be counted\n`,
    );
    return;
  }
  const session = open(false);
  let files = 0;
  const finish = ({ state, config }) => {
    const tally = { passed: 0, failed: 0, skipped: 0, missing: 0 };
    const ran = state.getFiles();
    for (const file of ran) add(tally, file);
    // Which files belong to another share of the suite is not known before they are shared out.
    if (!config.shard) tally.missing += max(0, files - ran.length);
    const isRed = state.getUnhandledErrors().length > 0 && !config.dangerouslyIgnoreUnhandledErrors;
    if (isRed && tally.failed === 0) tally.failed = 1;
    session.plan(tally.passed + tally.failed + tally.skipped + tally.missing);
    for (const file of ran) nameFailures(session, file, '', file);
    session.end(tally);
  };
  whenLoaded((Vitest) => {
    const { report } = Vitest.prototype;
    Vitest.prototype.report = function (name, ...args) {
      if (name === 'onTestRunStart') files = args[0].length;
      if (name === 'onTestRunEnd' || name === 'onFinished') finish(this);
      return report.call(this, name, ...args);
    };
  });
}

module.exports = { report: reportVitest };
