/** Who is further behind, on either side, is waited for. */
export const backlogBytes = 1024 * 1024;
