/**
 * CI runs `npm test` on a bare machine first, and everything again when all tools are installed. A tool changes only
 * the tests that look for one. So a file that was green on the bare machine runs again only if one of its
 * tests was skipped there, or if its text names a tool. The sandbox counts as one, and so does a command that searches
 * the machine.
 */
import fs from 'node:fs';
import { join } from 'node:path';

const TOOLS =
  'bwrap|bubblewrap|docker|podman|runc|unshare|strace|socat|tmux|chromium|curl|openssl|iproute2?|postgres\\w*';
const LANGUAGES = 'pytest|python3?|venv|cargo|rustc|golang|erl|erlc|erlang|otp|perl';
const SEARCHES = 'sandbox\\w*|contained|preflight|doctor|machine facts|supervisor init';
const NAMES_TOOL = new RegExp(`\\b(?:${TOOLS}|${LANGUAGES}|${SEARCHES})\\b|'(?:init|go|ip)'`, 'i');

/** Whether a file that was green on a bare machine can differ on one with tools. */
export function dependsOnTools(file, text, skippedFiles) {
  return skippedFiles.includes(file) || NAMES_TOOL.test(text);
}

/** `results`: the file to write, named by CI. */
export function writeResults(results, files, skippedFiles) {
  fs.writeFileSync(results, JSON.stringify({ files, skippedFiles }));
}

/** The files that a bare machine has proven, out of these. Without results it has proven none. */
export function provenFiles(results, root, files) {
  if (results === undefined) return [];
  const bare = JSON.parse(fs.readFileSync(results, 'utf8'));
  return files.filter(
    (file) =>
      bare.files.includes(file) &&
      !dependsOnTools(file, fs.readFileSync(join(root, file), 'utf8'), bare.skippedFiles),
  );
}
