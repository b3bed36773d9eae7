/** Decides from the outcome of a gate that ran without a setup whether it lacked dependencies. */
import type { GateOutcome } from '../../protocol/contracts/gate-contract.ts';

/** What tools print if a package is not installed, or if they try to fetch it: a gate has no network. */
const LACKING: readonly RegExp[] = [
  /Cannot find (?:module|package|type definition)|ERR_MODULE_NOT_FOUND|error TS2307/,
  /ModuleNotFoundError|No module named |pkg_resources\.DistributionNotFound/,
  /error: unrecognized arguments: --/,
  /: (?:command )?not found$|^Command not found: |command not found: /im,
  /no required module provides package|missing go\.sum entry|cannot find module providing/,
  /cannot load such file|Could not find (?:gem )?['"\w-]+.* in (?:any of the sources|locally installed gems)/,
  /vendor\/autoload\.php|no matching package named|failed to (?:get|download) `/,
  /node_modules/,
  /EAI_AGAIN|ENOTFOUND|ECONNREFUSED|ENETUNREACH|getaddrinfo|dial tcp|dns error/,
  /Temporary failure in name resolution|Could not resolve host|Network is unreachable/i,
  /could not determine executable to run|npx canceled/,
];

const NO_PROGRAM = /\(exit 12[67]\)/;

/** A gate that is red without such a sign is red for another reason, which the run may have to repair. */
export function lacksDependencies(outcome: GateOutcome): boolean {
  switch (outcome.kind) {
    case 'passed':
      return false;
    case 'unable':
      // A misspelt gate lacks no dependency.
      return (
        outcome.meant === undefined &&
        [...LACKING, NO_PROGRAM].some((sign) => sign.test(outcome.why))
      );
    case 'failed':
      // A gate that ran out of time had something to run.
      return outcome.timedOut !== true && LACKING.some((sign) => sign.test(outcome.tail));
  }
}
