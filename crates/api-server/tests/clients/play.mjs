// Runs the steps of a plan, for both generations of the TypeScript client.

export async function play(plan, client, { protocol, call }) {
  const report = {
    protocol,
    server: client.getServerVersion(),
    instructions: client.getInstructions(),
    steps: [],
  };
  for (const step of plan.steps) report.steps.push(await run(step, client, call));
  await client.close();
  process.stdout.write(JSON.stringify(report));
}

async function run(step, client, call) {
  if (step.list) return (await client.listTools()).tools;
  if (step.call) return await answered(call(step.call, step.arguments ?? {}));
  if (step.together) {
    return await Promise.all(step.together.map((one) => answered(call(one.call, one.arguments ?? {}))));
  }
  if (step.cancel) return await cancelled(step, call);
  throw new Error(`no such step: ${JSON.stringify(step)}`);
}

async function answered(promise) {
  try {
    const { content, structuredContent, isError } = await promise;
    return { text: content.map((part) => part.text).join(''), structured: structuredContent, failed: !!isError };
  } catch (error) {
    return { refused: { code: error.code, message: error.message } };
  }
}

async function cancelled(step, call) {
  const giveUp = new AbortController();
  const pending = call(step.cancel, step.arguments ?? {}, giveUp.signal).then(
    () => ({ finished: true }),
    () => ({ cancelled: true }),
  );
  await until(step.once, call);
  giveUp.abort();
  const outcome = await pending;
  await until(step.then, call);
  return outcome;
}

// Calls a tool repeatedly until a field of its answer has the value; the test runner's timeout is the only limit.
async function until(condition, call) {
  while (condition) {
    const { structuredContent } = await call(condition.call, {});
    if (structuredContent[condition.field] === condition.value) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
