/** Families in which every key is meant for somebody whom we know. */
export const judgedFamilies = { kubernetes: "spark.kubernetes.", firesteel: "spark.firesteel." } as const;
