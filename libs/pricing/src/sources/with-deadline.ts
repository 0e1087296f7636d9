/** The result of `work`, or of `late` when the work takes longer than `timeoutMs`. Rejects when `work` does. */
export async function withDeadline<T>(input: {
  work: Promise<T>;
  timeoutMs: number;
  late: (problem: string) => T;
}): Promise<T> {
  const { work, timeoutMs, late } = input;
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<T>((resolve) => {
    timer = setTimeout(() => resolve(late(`no answer within ${timeoutMs} ms`)), timeoutMs);
  });
  return Promise.race([work, tooLate]).finally(() => clearTimeout(timer));
}
