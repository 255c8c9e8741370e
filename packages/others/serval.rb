class Serval < Formula
  desc "Decides whether request handlers are serializable, with evidence"
  homepage "@PAGE@"
  version "@VERSION@"
  license any_of: ["MIT", "Apache-2.0"]

  on_linux do
    on_intel do
      url "@URL@/@ARCHIVE@"
      sha256 "@SUM@"
    end
  end
  on_macos do
    url "@URL@/@SDIST@"
    sha256 "@SDIST_SUM@"
    depends_on "rust" => :build
  end

  def install
    if OS.mac?
      system "cargo", "install", *std_cargo_args(path: "rust/crates/product/cli")
      system "cargo", "install", *std_cargo_args(path: "rust/crates/product/verify")
    else
      bin.install "bin/serval", "bin/serval-verify"
      man1.install Dir["share/man/man1/*.1"]
    end
    generate_completions_from_executable(bin/"serval", "completions")
  end

  test do
    (testpath/"add.ser").write "request add { N := (N + 1) % 3; N }"
    assert_match "serializable", shell_output("#{bin}/serval check add.ser")
  end
end
