'use strict';
// Puts a reporter between a test runner and a module of the runner's own, as it is loaded.
/* oxlint-disable no-underscore-dangle -- Node 18 has no other way to stand between the two */
const Module = require('module');

/**
 * Calls `change` with each module that a file requires, with the text of the call and that file. What it
 * gives is what the file gets. The function that comes back ends this.
 */
function onLoad(change) {
  const before = Module._load;
  const load = function (...args) {
    const [request, parent] = args;
    return change(before.apply(this, args), request, (parent && parent.filename) || '');
  };
  Module._load = load;
  return () => {
    if (Module._load === load) Module._load = before;
  };
}

/** A copy of a module with one function of it replaced: its own exports can't be changed. */
function withExport(exports, name, value) {
  const all = Object.getOwnPropertyDescriptors(exports);
  const replaced = { value, enumerable: true, configurable: true, writable: true };
  return Object.create(Object.getPrototypeOf(exports), { ...all, [name]: replaced });
}

module.exports = { onLoad, withExport };
