/** Schema of the section `git`: what a workflow may do with the repository at its end. */
import { z } from 'zod';
import { KEYS, matching } from './schema-fields.ts';

const flag = z.boolean({ error: 'true or false' });

export const Git = z
  .strictObject(
    {
      auto_branch: flag
        .prefault(true)
        .describe(
          'Whether commits are made, each on a branch of its own. false: you take the work with `supervisor apply --commit`. Default: true.',
        ),
      branch_pattern: matching(
        /^(?!.*\.\.)(?=.*\{task_id\})[A-Za-z0-9](?:[A-Za-z0-9._/-]|\{(?:task_id|slug|description)\}){0,100}$/,
        'a name of a branch that contains {task_id}, and may contain {slug}',
      )
        .prefault('ai/{task_id}-{slug}')
        .describe(
          'The name of that branch. {slug} is made from the task; {description} is the same. Default: ai/{task_id}-{slug}.',
        ),
      auto_commit: flag
        .prefault(false)
        .describe('Whether a workflow commits without asking you. Default: false.'),
      dry_run_preview: flag
        .prefault(true)
        .describe(
          'Whether start-task and complete-task show what they would do before they ask. Default: true.',
        ),
      pull_requests: flag
        .prefault(false)
        .describe(
          'Whether a workflow may push its branch and open a pull request with gh, outside the sandbox. Default: false.',
        ),
    },
    KEYS,
  )
  .transform((git) => ({
    autoBranch: git.auto_branch,
    branchPattern: git.branch_pattern.replaceAll('{description}', '{slug}'),
    autoCommit: git.auto_commit,
    dryRunPreview: git.dry_run_preview,
    pullRequests: git.pull_requests,
  }));
