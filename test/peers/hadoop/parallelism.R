# Reads the parallelism from the driver's JVM as SparkR does, without SparkR. Source: Spark RBackend.
con <- socketConnection(
  host = "localhost", port = as.integer(Sys.getenv("EXISTING_SPARKR_BACKEND_PORT")),
  blocking = TRUE, open = "r+b", timeout = 60
)
int <- function(value) writeBin(as.integer(value), raw(), endian = "big")
text <- function(value) c(int(nchar(value, type = "bytes") + 1), charToRaw(value), as.raw(0))
readInt <- function() readBin(con, integer(), 1, endian = "big")
readText <- function() {
  bytes <- readBin(con, raw(), readInt())
  rawToChar(bytes[bytes != 0])
}
invoke <- function(isStatic, object, method) {
  call <- c(int(isStatic), text(object), text(method), int(0))
  writeBin(c(int(length(call)), call), con)
  if (readInt() != 0) stop(readText())
  switch(rawToChar(readBin(con, raw(), 1)), j = readText(), c = readText(), i = readInt(), n = NULL)
}
writeBin(text(Sys.getenv("SPARKR_BACKEND_AUTH_SECRET")), con)
if (readText() != "ok") stop("not let in")
context <- invoke(TRUE, "org.apache.spark.SparkContext", "getOrCreate")
cat("parallelism", invoke(FALSE, context, "defaultParallelism"), "\n")
cat("words", commandArgs(trailingOnly = TRUE), "\n")
cat("SparkR", file.exists("sparkr/SparkR/profile/general.R"), "\n")
invoke(FALSE, context, "stop")
