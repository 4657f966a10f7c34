import os
import struct
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.errors import ModelMissing, ModelNotLoadable
from assistant.language.gguf import GgufHeader, choose_context, estimate_bytes, read_header
from tests.assistant.language.gguf_files import (
    TENSORS,
    USUAL,
    field,
    gguf,
    number,
    numbers,
    string,
    strings,
    tensor,
    text,
    write,
)


def refusal(path: Path) -> str:
    with pytest.raises(ModelNotLoadable) as caught:
        read_header(path)
    message = str(caught.value)
    assert "\n" not in message
    assert str(path) in message
    return message


def test_a_header_is_read(tmp_path: Path) -> None:
    header = read_header(write(tmp_path, gguf()))
    assert (header.architecture, header.name, header.quantisation) == ("llama", "Tiny", "F16")
    assert (header.trained_context, header.layers, header.embedding_length) == (2048, 4, 64)
    assert (header.heads, header.kv_heads, header.key_length, header.value_length) == (8, (2, 2, 2, 2), 8, 8)
    assert (header.vocabulary, header.tensors, header.parameters) == (100, 2, 6432)
    assert header.has_template
    assert header.file_bytes == header.path.stat().st_size


def test_version_2_is_read_too_and_what_is_left_out_counts_as_nothing(tmp_path: Path) -> None:
    header = read_header(write(tmp_path, gguf([string("general.architecture", "odd")], [], version=2, data=0)))
    assert (header.trained_context, header.layers, header.kv_heads, header.quantisation) == (0, 0, (), "unknown")
    assert not header.has_template


def test_heads_may_differ_from_layer_to_layer(tmp_path: Path) -> None:
    fields = [*USUAL[:7], numbers("llama.attention.head_count_kv", [1, 0, 2, 4])]
    header = read_header(write(tmp_path, gguf(fields)))
    assert header.kv_heads == (1, 0, 2, 4)
    per_token = 2 * 7 * (8 + 8) + 128 * 4 * 8
    assert estimate_bytes(header, 100) - estimate_bytes(header, 0) == 100 * per_token


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing, match=r"there is no file .*absent\.gguf"):
        read_header(tmp_path / "absent.gguf")


def test_a_folder_is_named(tmp_path: Path) -> None:
    assert "is a folder; give the .gguf file in it" in refusal(tmp_path)


def test_what_is_no_file_is_named(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.gguf")
    assert "is not a file" in refusal(tmp_path / "pipe.gguf")


@pytest.mark.parametrize(
    ("content", "cause"),
    [
        (b"", "is empty; download it again"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:12ab\nsize 100\n", "is a Git LFS pointer"),
        (b"\n<!DOCTYPE html>\n<html><body>Sign in</body></html>", "is a web page"),
        (b"<html lang=en>", "is a web page"),
        (b"lmgg" + b"\0" * 100, "old GGML format"),
        (b"tjgg" + b"\0" * 100, "old GGML format"),
        (b"PK\x03\x04" + b"\0" * 100, "is not a GGUF file"),
        (b"GG", "is cut off after 2 bytes"),
        (gguf(version=1), "is GGUF version 1"),
        (gguf(version=99), "is GGUF version 99"),
        (b"GGUF" + struct.pack(">IQQ", 3, 0, 0), "big-endian"),
        (gguf()[:300], "is cut off after 300 bytes, within its header"),
        (gguf()[:-1000], "is cut off: "),
        (gguf(data=0), "is cut off: "),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 1 << 60), "is damaged"),
        (b"GGUF" + struct.pack("<IQQ", 3, 1 << 60, 0), "is damaged"),
        (gguf([string("general.architecture", b"\xff\xfe")]), "is damaged"),
        (gguf([text(b"\xff") + struct.pack("<I", 4) + b"\0" * 4]), "is damaged"),
        (gguf([field("key", 8, struct.pack("<Q", 1 << 62))]), "is damaged"),
        (gguf([field("key", 9, struct.pack("<IQ", 8, 1 << 61))]), "is damaged"),
        (gguf([field("key", 9, struct.pack("<IQ", 9, 7_000_000))]), "is "),
        (gguf([field("key", 77, b"")]), "is damaged (a field of type 77)"),
        (gguf([struct.pack("<Q", 1 << 40)]), "is damaged"),
        (gguf(tensors=[text("t") + struct.pack("<I", 1 << 30)]), "is damaged"),
        (gguf([number("general.alignment", 0), *USUAL]), "is damaged"),
        (gguf(tensors=[tensor("huge", (1 << 63,) * 4, 0, 0)]), "is cut off"),
        (gguf([], [], data=10), "names no architecture"),
    ],
)
def test_a_bad_file_is_refused_in_one_line_with_its_cause(tmp_path: Path, content: bytes, cause: str) -> None:
    started = time.process_time()
    assert cause in refusal(write(tmp_path, content))
    assert time.process_time() - started < 5


def test_nested_arrays_end(tmp_path: Path) -> None:
    nested = struct.pack("<IQ", 9, 1) * 200 + struct.pack("<IQ", 4, 0)
    assert "is damaged" in refusal(write(tmp_path, gguf([field("key", 9, nested)])))


def test_long_texts_and_arrays_are_passed_over(tmp_path: Path) -> None:
    fields = [string("tokenizer.other", "x" * (2 << 20)), strings("words", ["word"] * 200_000), *USUAL]
    started = time.process_time()
    assert read_header(write(tmp_path, gguf(fields))).name == "Tiny"
    assert time.process_time() - started < 5


@settings(max_examples=300)
@given(st.data())
def test_any_bytes_give_a_header_or_a_refusal(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    content = bytearray(gguf(data=200))
    for _ in range(data.draw(st.integers(0, 6))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(content)))
    noise = data.draw(st.binary(max_size=64))
    path = write(tmp_path_factory.getbasetemp(), bytes(content[:cut]) + noise)
    try:
        header = read_header(path)
    except ModelNotLoadable as error:
        said = str(error)
    else:
        said = ""
        assert isinstance(header, GgufHeader)
        assert estimate_bytes(header, 4096) > 0
    assert "\n" not in said


@pytest.mark.model
def test_the_real_model_says_what_it_is(small_model: Path) -> None:
    started = time.process_time()
    header = read_header(small_model)
    assert time.process_time() - started < 5
    assert (header.architecture, header.quantisation) == ("qwen2", "Q4_K_M")
    assert "Coder 0.5B Instruct" in header.name
    assert (header.trained_context, header.vocabulary) == (32768, 151936)
    assert header.has_template


def test_the_context_is_what_is_wanted_trained_or_fits(tmp_path: Path) -> None:
    header = read_header(write(tmp_path, gguf()))
    plenty = estimate_bytes(header, 1 << 20)
    assert choose_context(header, 512, memory=plenty) == (512, "wanted")
    assert choose_context(header, 100_000, memory=plenty) == (2048, "trained")
    assert choose_context(header, 0, memory=0) == (2048, "trained")
    context, limit = choose_context(header, 2048, memory=estimate_bytes(header, 1800))
    assert (context, limit) == (1792, "memory")
    assert estimate_bytes(header, context) <= estimate_bytes(header, 1800)


def test_a_model_that_does_not_fit_into_memory_is_refused_before_it_is_loaded(tmp_path: Path) -> None:
    header = read_header(write(tmp_path, gguf()))
    with pytest.raises(ModelNotLoadable, match=r"needs about .* GB of memory, and 0\.1 GB are free"):
        choose_context(header, 2048, memory=100_000_000)


def test_tensors_are_counted_where_types_are_unknown(tmp_path: Path) -> None:
    path = write(tmp_path, gguf(tensors=[*TENSORS, tensor("new", (32,), 99, 12800)]))
    assert read_header(path).tensors == 3
